extension SiltstoneEngine { func resumeBuilds() {} }
extension SiltstoneEngine { public func verify(progress: ((Double) -> Void)?) throws -> [String] { [] } }
