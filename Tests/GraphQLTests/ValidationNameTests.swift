import Testing

@Suite("Names that stand twice are found among few and among many")
struct RepeatedNameTests {
    @Test("arguments, variables, fields of objects and directives", arguments: [2, 16, 17, 40])
    func repeated(count: Int) throws {
        let names = (0..<count - 1).map { "n\($0)" } + ["n0"]
        func found(_ text: String, _ prefix: String) throws -> [String] {
            try messages(text).filter { $0.hasPrefix(prefix) }.map { String($0.split(separator: "'")[1]) }
        }
        let arguments = names.map { "\($0): 1" }.joined(separator: " ")
        #expect(try found("{ scal(\(arguments)) }", "DuplicateArgumentNames") == ["n0"])
        #expect(try found("{ scal(any: {\(arguments)}) }", "UniqueObjectFieldName") == ["n0"])
        let variables = names.map { "$\($0): Int" }.joined(separator: " ")
        let uses = names.map { "$\($0)" }.joined(separator: " ")
        #expect(
            try messages("query (\(variables)) { scal(l: [\(uses)]) }") == [
                "DuplicateVariableName: There can be only one variable named 'n0'"
            ])
        let skips = String(repeating: "@skip(if: true) ", count: count)
        #expect(try messages("{ iamOnly \(skips) }").count == count - 1)
    }

    @Test("fragments, and each use is of the first", arguments: [2, 16, 17, 40])
    func fragments(count: Int) throws {
        let names = (0..<count - 1).map { "F\($0)" } + ["F0"]
        let spreads = names.map { "...\($0)" }.joined(separator: " ")
        let fragments = names.map { "fragment \($0) on Query { iamOnly }" }.joined(separator: " ")
        #expect(
            try messages("{ \(spreads) } \(fragments)") == [
                "DuplicateFragmentName: There can be only one fragment named 'F0'"
            ])
    }
}
