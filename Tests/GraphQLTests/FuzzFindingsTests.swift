import GraphQL
import Testing

/// Texts that a fuzzer found, each kept as it once failed.
@Suite("What the fuzzers found")
struct FuzzFindingsTests {
    @Test(
        "a document, printed and parsed, prints the same",
        arguments: [
            // A long name made the printer break the line between brackets that held no argument.
            "{ \(String(repeating: "r", count: 81)) a: \(String(repeating: "s", count: 90)) { id } }"
        ])
    func printsWhatItParsed(_ text: String) throws {
        let printed = Printer.print(try Parser.parse(Source(text)))
        #expect(Printer.print(try Parser.parse(Source(printed))) == printed)
    }
}
