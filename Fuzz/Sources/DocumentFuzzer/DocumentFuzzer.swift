import Fuzzing
import GraphQL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@main enum DocumentFuzzer {
    static func main() { fuzz(check) }
}

/// An executable document: an error lies within the text, what parses is printed and parsed again as the same
/// document, and validation answers within its time.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let source = Source(Array(bytes))
    guard let document = parse(source, limits: .request) else { return }
    let milliseconds = processorMilliseconds {
        for error in Validate.validate(document, schema) {
            require(!error.message.isEmpty, "an error says something")
        }
    }
    require(milliseconds < validationMillisecondsMax, "validation took \(milliseconds) ms")

    // The printer has no text for the definitions of a schema, which validation refuses.
    guard document.nonExecutableDefinitions.isEmpty else { return }
    let text = Printer.print(document)
    guard let again = parse(Source(text), limits: .request) else { fatalError("no document:\n\(text)") }
    require(again.isEqual(to: document), "another document:\n\(text)")
    require(Printer.print(again) == text, "printed otherwise:\n\(text)")
}

/// Processor time, which other programs do not lengthen. The instrumented code is some ten times slower than the
/// product's, whose bound is 50 ms.
private let validationMillisecondsMax = 800

private func parse(_ source: Source, limits: ParserLimits) -> Document? {
    do throws(SyntaxError) {
        return try Parser.parse(source, limits: limits)
    } catch {
        require((0...source.bytes.count).contains(error.offset), "an error lies within the text")
        require(!error.description.isEmpty && !error.graphQLError.message.isEmpty, "an error says something")
        return nil
    }
}

private func processorMilliseconds(_ body: () -> Void) -> Int {
    let start = clock()
    body()
    return Int(clock() - start) * 1000 / Int(CLOCKS_PER_SEC)
}

// MARK: - The schema

/// One of each kind: a cycle of types, interfaces and a union that overlap, inputs inside inputs.
private let schema: Schema = {
    let text = """
        schema { query: Q mutation: M subscription: S }
        directive @d(x: Int, y: [I!]) repeatable on FIELD | QUERY | FRAGMENT_SPREAD | INLINE_FRAGMENT | FRAGMENT_DEFINITION
        type Q { a: T b(i: I, l: [[Int!]]!, e: E = X, s: String, f: Float, b: Boolean, id: ID): U n: N i: Int t: [T!]! }
        type M { m(i: I!): T }
        type S { s(id: ID): T }
        interface N { id: ID! n: N }
        type T implements N { id: ID! n: N a: T u: U i(x: Int! = 1): Int e: E old: Int @deprecated }
        type V implements N { id: ID! n: T a(y: I): [T] i: String }
        union U = T | V
        enum E { X Y Z }
        input I { a: Int! = 1 b: I c: [E!] d: AWSDateTime j: AWSJSON }
        """
    let (document, errors) = Parser.parseTypeSystem([Source(text, name: "schema.graphql")])
    require(errors.isEmpty, "the schema is well-formed")
    do { return try SchemaBuilder.build(from: document) } catch { fatalError("\(error)") }
}()
