import Fuzzing
import GraphQL

@main enum SchemaFuzzer {
    static func main() { fuzz(check) }
}

/// The definitions of a schema: errors lie within the text, what parses is printed and parsed again as the same
/// definitions, and the builder answers.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let source = Source(Array(bytes), name: "schema.graphql")
    let (placed, errors) = Parser.parseTypeSystem([source])
    for error in errors {
        require((0...bytes.count).contains(error.offset), "an error lies within the text")
        require(!error.description.isEmpty, "an error says something")
    }
    do {
        _ = try SchemaBuilder.build(from: placed)
    } catch {
        for error in error.errors {
            require(error.place.map { (0...bytes.count).contains($0.offset) } ?? true, "a fault lies within the text")
        }
    }

    let (document, _) = Parser.parseTypeSystem([source], keepingPlaces: false)
    require(document.definitions.count == placed.definitions.count, "places change nothing")
    // An operation among the definitions is only noted, so there is nothing to print.
    let definitions = document.definitions.filter { if case .executable = $0 { false } else { true } }
    let text = Printer.print(TypeSystemDocument(definitions))
    let (again, faults) = Parser.parseTypeSystem([Source(text)], keepingPlaces: false)
    require(faults.isEmpty, "no schema:\n\(text)")
    require(again.definitions == definitions, "another schema:\n\(text)")
    require(Printer.print(again) == text, "printed otherwise:\n\(text)")
}
