import JSON
import Testing

@testable import Tables

@Suite("AUTOMERGE keeps what is stored, and lists grow")
struct AutomergeTests {
    @Test(
        "embedded values are merged member by member",
        arguments: [
            (#"["a","b"]"#, #"["b","c"]"#, #"["a","b","b","c"]"#),
            ("[]", "[1]", "[1]"),
            ("[1]", "[]", "[1]"),
            (#"[{"a":1}]"#, #"[{"a":2}]"#, #"[{"a":1},{"a":2}]"#),
            (#"{"ppg":20.50,"apg":5}"#, #"{"ppg":21,"rpg":9}"#, #"{"ppg":20.50,"apg":5,"rpg":9}"#),
            (#"{"a":{"b":[1],"c":null}}"#, #"{"a":{"b":[2],"c":3,"d":null}}"#, #"{"a":{"b":[1,2],"c":3}}"#),
            (#"{"a":1}"#, #"{"a":[1]}"#, #"{"a":1}"#),
            (#"{"a":[1]}"#, #"{"a":null}"#, #"{"a":[1]}"#),
            (#"[1]"#, #"{"a":1}"#, #"[1]"#),
            (#"{"j":"{\"x\":1}"}"#, #"{"j":"{\"y\":2}"}"#, #"{"j":"{\"x\":1}"}"#),
            (#"{"n":12345678901234567890}"#, "{}", #"{"n":12345678901234567890}"#),
        ])
    func embedded(stored: String, incoming: String, merged: String) throws {
        let result = try Automerge.merge(JSONReader.read(stored), JSONReader.read(incoming))
        #expect(result.description == merged)
    }

    @Test("absent attributes are taken over and nothing else is changed")
    func attributes() throws {
        let stored = Item(values: ["1", "X", nil, #"["a"]"#, nil, nil, 3, nil, 0, nil])
        let changes = try Automerge.changes(
            of: stored, by: [(1, "Y"), (2, "n"), (3, #"["b"]"#), (4, #"{"a":1}"#), (5, nil)], in: booking)
        #expect(changes.map(\.column) == [2, 3, 4])
        #expect(changes.map(\.value) == ["n", #"["a","b"]"#, #"{"a":1}"#])
        #expect(throws: StoreError.self) { try Automerge.changes(of: stored, by: [(3, "[")], in: booking) }
    }
}
