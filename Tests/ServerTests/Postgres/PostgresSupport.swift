#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// Tests of PostgreSQL, on a real server.
@Suite(.enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
struct PostgresTests {}
#endif
