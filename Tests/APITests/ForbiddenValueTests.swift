import JSON
import Testing
import Transformer

@testable import API
@testable import Tables

/// A value that the caller may not read is not taken out of the row, not even to be dropped (reference: authorization, "Reads").
///
/// The stored grades are no values of the enum, so that a reader who takes one out of its row gets an error for it.
@Suite("Forbidden values never leave the statement", .bothExecutors) struct ForbiddenValueTests {
    private static let schema = """
        type Shelf @model @auth(rules: [{allow: private}]) {
          id: ID! notes: [Note] @hasMany(indexName: "byShelf", fields: ["id"])
          topID: ID top: Note @hasOne(fields: ["topID"])
        }
        type Note @model @auth(rules: [{allow: owner}, {allow: groups, groupsField: "teams"}]) {
          id: ID! owner: String teams: [String] grade: Grade
          shelfID: ID @index(name: "byShelf", queryField: "notesByShelf")
        }
        type Card @model @auth(rules: [{allow: private, operations: [read]}, {allow: owner}]) {
          id: ID! owner: String grade: Grade @auth(rules: [{allow: owner}])
        }
        enum Grade { A B }
        """
    private static let broken = "Can't serialize value"

    /// Items of bob, whose grades cannot be read, and one of ann, whose grade can.
    private func stage(_ version: TransformOptions.TransformerVersion) throws -> RuledStage {
        let stage = try RuledStage(
            version == .v2
                ? Self.schema
                : Self.schema.replacing("@hasMany(indexName", with: "@connection(keyName")
                    .replacing("@hasOne", with: "@connection")
                    .replacing(#" @index(name: "byShelf", queryField: "notesByShelf")"#, with: "!")
                    .replacing(
                        "type Note @model",
                        with:
                            #"type Note @model @key(name: "byShelf", fields: ["shelfID"], queryField: "notesByShelf")"#),
            version)
        let grade = "grade: A"
        for n in 0..<5 {
            try stage.seed(
                "createNote(input: {id: 'b\(n)', owner: 'bob', shelfID: '1', \(grade)})",
                "createCard(input: {id: 'b\(n)', owner: 'bob', \(grade)})")
        }
        try stage.seed(
            "createNote(input: {id: 'a', owner: 'ann', shelfID: '1', \(grade)})",
            "createCard(input: {id: 'a', owner: 'ann', \(grade)})", "createShelf(input: {id: '1', topID: 'b0'})")
        let connection = try Connection(
            path: DataFolder.database(in: stage.open.home.folder), mode: .writing, limits: StoreLimits())
        for table in ["Note", "Card"] {
            try connection.execute(#"UPDATE "\#(table)" SET "grade" = 'broken' WHERE "owner" = 'bob'"#)
        }
        return stage
    }

    /// Compares what ann is answered; bob, who reads the same items as their owner, gets the errors of their values.
    private func check(_ stage: RuledStage, _ reads: [(field: String, expected: String)]) throws {
        for (field, expected) in reads {
            #expect(try stage.answer(.ann, field) == expected, "\(field)")
            let own = try stage.answer(.bob, field)
            #expect(own.contains(Self.broken), "The trap of \(field) does not work: \(own)")
        }
    }

    @Test("of items", arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func items(version: TransformOptions.TransformerVersion) throws {
        let stage = try stage(version)
        try check(
            stage,
            [
                ("getNote(id: 'b0') { grade }", "U"),
                ("listNotes { items { id grade } }", "[{id:a,grade:A}]"),
                ("listNotes(limit: 2) { items { grade } }", "[]"),
                ("listNotes(filter: {id: {beginsWith: 'b'}}) { items { grade } }", "[]"),
                ("notesByShelf(shelfID: '1') { items { grade } }", "[{grade:A}]"),
                ("getShelf(id: '1') { notes { items { grade } } }", "{notes:{items:[{grade:A}]}}"),
                ("getShelf(id: '1') { top { grade } }", "{top:null} | top U"),
            ])
    }

    @Test("of fields with rules of their own", arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func fields(version: TransformOptions.TransformerVersion) throws {
        let stage = try stage(version)
        try check(
            stage,
            [
                ("getCard(id: 'b0') { id grade }", "{id:b0,grade:null} | grade U"),
                ("listCards(limit: 1) { items { grade } }", "[{grade:null}] | items/0/grade U"),
            ])
    }
}
