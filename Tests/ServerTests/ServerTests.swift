import Testing

/// Tests of databases behind package traits. Each file is empty without its trait.
@Suite struct ServerTests {}
