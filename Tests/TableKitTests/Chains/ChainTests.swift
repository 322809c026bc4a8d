import Foundation
import SiltstoneTesting
import Testing

@testable import TableKit

private struct Phone: Codable, Equatable {
    let personId: UUID
    let planetCode: Int
    let number: String
}

private struct Person: Codable, Equatable {
    let id: UUID
    let firstName: String
    let lastName: String
    let phoneNumbers: [Phone]?
}

private struct Artist: Codable {
    let id: Int
    let name: String
    let albums: [Album]?
}

private struct Album: Codable {
    let id: Int
    let artistId: Int?
    let title: String
    let year: Int?
    let tracks: [Track]?
}

private struct Track: Codable {
    let id: Int
    let albumId: Int
    let seconds: Double
}

private typealias Reference = Database<ReferenceDatabaseConfiguration>

struct ChainTests {
    private func people() throws -> (Reference, owen: Person, beru: Person) {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Person.self, policy: .reconcileTable)
        let owen = Person(id: UUID(), firstName: "Owen", lastName: "Lars", phoneNumbers: nil)
        let beru = Person(id: UUID(), firstName: "Beru", lastName: "Lars", phoneNumbers: nil)
        try db.table(Person.self).insert([owen, beru])
        try db.table(Phone.self).insert([
            Phone(personId: owen.id, planetCode: 12, number: "555-555-1212"),
            Phone(personId: owen.id, planetCode: 15, number: "555-555-2222"),
            Phone(personId: beru.id, planetCode: 12, number: "555-555-1212"),
        ])
        return (db, owen, beru)
    }

    private func music() throws -> Reference {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Artist.self).insert([
            Artist(id: 1, name: "A", albums: nil), Artist(id: 2, name: "B", albums: nil),
            Artist(id: 3, name: "C", albums: nil),
        ])
        try db.table(Album.self).insert([
            Album(id: 1, artistId: 1, title: "a1", year: 1990, tracks: nil),
            Album(id: 2, artistId: 1, title: "a2", year: nil, tracks: nil),
            Album(id: 3, artistId: 2, title: "b1", year: 2000, tracks: nil),
            Album(id: 4, artistId: nil, title: "none", year: 2000, tracks: nil),
        ])
        try db.table(Track.self).insert((1...9).map { Track(id: $0, albumId: ($0 + 2) / 3, seconds: Double($0)) })
        return db
    }

    @Test("the README's program finds people by their numbers")
    func readme() throws {
        let (db, _, _) = try people()
        try db.table(Phone.self).index(\.personId)
        let query = try db.table(Person.self)
            .order(by: \.lastName, \.firstName)
            .join(\.phoneNumbers, on: \.id, equals: \.personId)
            .order(descending: \.planetCode)
            .where(\Person.lastName == "Lars" && \Phone.planetCode == 12)
            .select()
        var found: [String] = []
        for user in query { for number in user.phoneNumbers ?? [] { found.append(user.firstName + number.number) } }
        #expect(found == ["Beru555-555-1212", "Owen555-555-1212"])
        #expect(try query.fromTable.count() == 2)
    }

    @Test("a select runs anew each time it is iterated")
    func lazySelect() throws {
        let (db, owen, _) = try people()
        let query = try db.table(Person.self).select()
        #expect(query.map(\.firstName).count == 2)
        try db.table(Person.self).where(\Person.id == owen.id).delete()
        #expect(query.map(\.firstName) == ["Beru"])
    }

    @Test("first and find give the row of a key, or nil")
    func point() throws {
        let (db, owen, _) = try people()
        let table = db.table(Person.self)
        #expect(try table.where(\Person.id == owen.id).first() == owen)
        #expect(try table.find(owen.id) == owen)
        #expect(try table.find(UUID()) == nil)
        #expect(try table.where(\Person.id == UUID()).first() == nil)
        #expect(throws: CRUDSQLGenError.self) { try db.table(Phone.self).find(5) }
    }

    @Test("first after a join is the first parent with all that belongs to it")
    func firstOfJoin() throws {
        let db = try music()
        let first = try db.table(Artist.self).order(by: \.id).join(\.albums, on: \.id, equals: \.artistId).first()
        #expect(first?.albums?.map(\.title) == ["a1", "a2"])
    }

    @Test("grandchildren are joined from their parents")
    func grandchildren() throws {
        let db = try music()
        let artists = try db.table(Artist.self).order(by: \.id)
            .join(\.albums, on: \.id, equals: \.artistId).order(by: \.id)
            .join(\Album.tracks, on: \.id, equals: \.albumId).order(descending: \.id).limit(each: 2)
            .all()
        #expect(artists.map(\.name) == ["A", "B", "C"])
        #expect(artists[0].albums?.map { $0.tracks?.map(\.id) ?? [] } == [[3, 2], [6, 5]])
        #expect(artists[2].albums?.isEmpty == true)
    }

    @Test("a property is joined once")
    func joinedTwice() throws {
        let db = try music()
        let chain = try db.table(Artist.self).join(\.albums, on: \.id, equals: \.artistId)
            .join(\.albums, on: \.id, equals: \.artistId)
        #expect(throws: CRUDSQLGenError.self) { try chain.select() }
    }

    @Test("a condition on a type that is not in the chain is refused by name")
    func unknownType() throws {
        let db = try music()
        let error = #expect(throws: CRUDSQLGenError.self) {
            try db.table(Artist.self).where(\Album.title == "a1").count()
        }
        #expect(error?.message.contains("Album") == true)
    }

    @Test("ranges limit as they read; empty ones are refused")
    func limits() throws {
        let db = try music()
        let tracks = db.table(Track.self).order(by: \.id)
        func ids(_ limit: Limit<Track, Ordering<Track, Table<Track, Reference>>>) throws -> [Int] {
            try limit.all().map(\.id)
        }
        #expect(try ids(tracks.limit(3)) == [1, 2, 3])
        #expect(try ids(tracks.limit(3, skip: 2)) == [3, 4, 5])
        #expect(try ids(tracks.limit(skip: 7)) == [8, 9])
        #expect(try ids(tracks.limit(2..<4)) == [3, 4])
        #expect(try ids(tracks.limit(2...4)) == [3, 4, 5])
        #expect(try ids(tracks.limit(7...)) == [8, 9])
        #expect(try ids(tracks.limit(...1)) == [1, 2])
        #expect(try ids(tracks.limit(..<1)) == [1])
        #expect(try ids(tracks.limit(0)).count == 9)
        #expect(try ids(tracks.limit(-1)).count == 9)
        #expect(try ids(tracks.limit(...Int.max)).count == 9)
        #expect(try db.table(Track.self).limit(3, skip: 2).count() == 3)
        #expect(try tracks.limit(3).order(by: \.seconds).limit(5).count() == 3)
        for empty in [tracks.limit(3..<3), tracks.limit(..<0), tracks.limit(-2 ..< -1)] {
            let error = #expect(throws: CRUDSQLGenError.self) { try empty.all() }
            #expect(error?.code == .argument)
        }
    }

    @Test("a later order weighs more")
    func orders() throws {
        let db = try music()
        let titles = try db.table(Album.self).order(descending: \.title).order(by: \.year).all().map(\.title)
        #expect(titles == ["a2", "a1", "none", "b1"])
    }

    @Test("updates and deletes refuse order, limit and join")
    func refusals() throws {
        let db = try music()
        let one = Album(id: 9, artistId: 1, title: "x", year: nil, tracks: nil)
        #expect(throws: CRUDSQLGenError.self) { try db.table(Album.self).limit(1).where(\Album.id == 1).delete() }
        #expect(throws: CRUDSQLGenError.self) {
            try db.table(Album.self).order(by: \.id).where(\Album.id == 1).update(one, setKeys: \.title)
        }
        #expect(try db.table(Album.self).count() == 4)
    }

    @Test("changes tell how many rows they changed")
    func counts() throws {
        let db = try music()
        let albums = db.table(Album.self)
        let one = Album(id: 9, artistId: 1, title: "x", year: nil, tracks: nil)
        #expect(try albums.where(\Album.year == 2000).update(one, setKeys: \.title).count == 2)
        #expect(try albums.where(\Album.title == "x").returning(\.id, update: one, setKeys: \.year) == [3, 4])
        #expect(try albums.where(\Album.year == nil).delete().count == 3)
        #expect(try albums.insert([]).count == 0)
        #expect(try albums.insert(one).count == 1)
        #expect(try albums.upsert([one, Album(id: 10, artistId: 1, title: "y", year: 1, tracks: nil)]).count == 2)
        #expect(try albums.count() == 3)
        #expect(
            try albums.returning(\.title, insert: Album(id: 11, artistId: 2, title: "z", year: 1, tracks: nil)) == "z")
    }

    @Test("aggregates, groups and columns alone")
    func aggregates() throws {
        let db = try music()
        let albums = db.table(Album.self), tracks = db.table(Track.self)
        #expect(try tracks.sum(\.seconds) == 45)
        #expect(try tracks.sum(\.id) == 45)
        #expect(try tracks.average(\.seconds) == 5)
        #expect(try tracks.min(\.id) == 1)
        #expect(try albums.max(\.year) == 2000)
        #expect(try albums.where(\Album.id > 100).min(\.title) == nil)
        #expect(try albums.where(\Album.id > 100).exists() == false)
        #expect(try albums.exists())
        let years = try albums.group(by: \.year).count()
        #expect(years.map(\.group) == [nil, 1990, 2000])
        #expect(years.map(\.count) == [1, 1, 2])
        let longest = try tracks.group(by: \.albumId).max(\.seconds)
        #expect(longest.map(\.value) == [3, 6, 9])
        let pairs = try albums.group(by: \.year, \.artistId).count()
        #expect(pairs.count == 4)
        #expect(pairs[0].group == (nil, 1))
        #expect(try albums.order(by: \.id).select(\.title) == ["a1", "a2", "b1", "none"])
        let columns = try albums.order(by: \.id).limit(1).select(\.title, \.year, \.id)
        #expect(columns.first! == ("a1", 1990, 1))
        #expect(try albums.order(by: \.year).select(\.year, isDistinct: true).count == 3)
    }

    @Test("everything waits by suspending under the same names")
    func asynchronous() async throws {
        let db = try music()
        let tracks = db.table(Track.self)
        #expect(try await tracks.all().count == 9)
        #expect(try await tracks.first() != nil)
        #expect(try await tracks.where(\Track.id < 4).count() == 3)
        var sum = 0
        for try await track in try tracks.rows() { sum += track.id }
        #expect(sum == 45)
        try await tracks.insert(Track(id: 10, albumId: 1, seconds: 1))
        #expect(try await tracks.find(10)?.seconds == 1)
        #expect(try await tracks.where(\Track.id == 10).delete().count == 1)
        #expect(try await tracks.max(\.id) == 9)
    }
}
