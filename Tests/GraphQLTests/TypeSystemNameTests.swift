import Testing

@testable import GraphQL

@Suite("The names of a schema are found by their bytes")
struct NameTableTests {
    @Test("names of every length are found, and no name that differs in one byte", arguments: 1...40)
    func lengths(count: Int) {
        let text = String((0..<count).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 26))) })
        var table = NameTable()
        table.insert(table.append(text), in: 1, number: 7)
        #expect(table.number(of: text, in: 1) == 7)
        #expect(table.number(of: text, in: 2) == nil)
        #expect(table.number(of: text + "a", in: 1) == nil)
        #expect(table.number(of: String(text.dropLast()), in: 1) == nil)
        for position in 0..<count {
            var bytes = Array(text.utf8)
            bytes[position] ^= 1
            #expect(table.number(of: String(decoding: bytes, as: UTF8.self), in: 1) == nil)
        }
    }

    @Test("however many there are, and the first of two keeps its number")
    func many() {
        var table = NameTable()
        for number in 0..<2_000 {
            table.insert(table.append("name\(number % 1_000)"), in: UInt32(number % 10), number: UInt32(number))
        }
        for number in 0..<1_000 {
            #expect(table.number(of: "name\(number)", in: UInt32(number % 10)) == UInt32(number))
            #expect(table.number(of: "name\(number)", in: UInt32(number + 1) % 10) == nil)
        }
        #expect(table.number(of: "", in: 0) == nil)
    }

    @Test("the same fields, arguments and types as by text")
    func schema() throws {
        let index = fixture.index
        let names = Set(fixture.types.flatMap { [$0.name] + ($0.fields?.fields.map(\.name) ?? []) })
            .union(["__typename", "__schema", "__type", "nope"])
        for text in names {
            let (name, document) = try word(text)
            #expect(index.type(named: name, in: document) == fixture.type(named: text))
            for position in fixture.types.indices {
                let type = TypeID(position)
                let field = index.field(named: name, of: type, in: document, allowsIntrospection: true)
                let expected = fixture.field(named: text, of: type).map { fixture.definition(of: $0, in: type) }
                #expect(field.map { index.name(of: $0) } == expected?.name)
                #expect(field.map { index.type($0.type) } == expected?.type)
                for argument in expected?.arguments ?? [] {
                    let (name, document) = try word(argument.name)
                    let found = try #require(field.flatMap { index.input(named: name, of: $0.arguments, in: document) })
                    #expect(index.type(found.type) == argument.type)
                    #expect(found.hasDefault == (argument.defaultValue != nil))
                }
                let hidden = index.field(named: name, of: type, in: document, allowsIntrospection: false)
                #expect((hidden == nil) == (field == nil || ["__schema", "__type"].contains(text)))
            }
        }
    }

    private func word(_ text: String) throws -> (Name, Document) {
        let document = try Parser.parse(Source("{ \(text) }"))
        guard case .field(let field) = document.selections[0] else { throw Missing() }
        return (field.name, document)
    }

    private struct Missing: Error {}
}

extension NameTable {
    fileprivate func number(of text: String, in scope: Scope) -> UInt32? {
        let bytes = Array(text.utf8)
        return unsafe number(of: bytes.span.bytes, in: scope)
    }
}
