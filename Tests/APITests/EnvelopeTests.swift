import Testing

@testable import API

@Suite("Envelopes of callers who are not known yet")
struct EnvelopeTests {
    @Test("an envelope is checked as it is read, and nothing of it is kept")
    func check() {
        let lists = Array(repeating: "[]", count: 1_000).joined(separator: ",")
        let rows = [
            #"{"query":"{ a }"}"#, #"{"query":"{ a }","variables":null,"operationName":null,"extensions":null}"#,
            #"{"query":"{ a }","variables":{"v":[\#(lists)]},"operationName":"Q","x":[{"y":{}}]}"#,
            "", " ", "{", "{}", "[]", " [1]", "null", "1", #"{"query":""}"#, #"{"query":1}"#, #"{"query":null}"#,
            #"{"query":"{ a }","query":""}"#, #"{"query":"","query":"{ a }"}"#, #"{"query":"\u0061"}"#,
            #"{"query":"{ a }","variables":[]}"#, #"{"query":"{ a }","variables":"{}"}"#,
            #"{"query":"{ a }","variables":{"v":}}"#, #"{"query":"{ a }","variables":{"v":"\ud800"}}"#,
            #"{"query":"{ a }","operationName":1}"#, #"{"query":"{ a }"}x"#, #"{"query":"{ a }",}"#,
            #"{"query":"{ a }","variables":{"a":{"b":{"c":{"d":1}}}}}"#, #"{"x":[[[[[[]]]]]],"query":"{ a }"}"#,
            #"{"extensions":{"persistedQuery":{"version":1}}}"#, #"{"extensions":{"persistedQuery":1}}"#,
            #"{"extensions":{"persistedQuery":{"version":1}},"extensions":{}}"#,
            #"{"query":"{ a }","extensions":{"persistedQuery":{"version":1}}}"#, #"{"extensions":[{}]}"#,
            #"{"extensions":{"x":[1],"persistedQuery":{}},"variables":{}}"#, #"{"extensions":{"persistedQuery":{}}"#,
        ]
        for row in rows {
            let bytes = Array(row.utf8)
            var request = GraphQLRequest()
            let read = unsafe bytes.withUnsafeBytes { body in
                outcome { () throws(EnvelopeError) in try unsafe request.read(body, depthMax: 4) }
            }
            let checked = unsafe bytes.withUnsafeBytes { body in
                outcome { () throws(EnvelopeError) in try unsafe GraphQLRequest.check(body, depthMax: 4) }
            }
            #expect(read == checked, "\(row)")
        }
        for (row, kind) in [(rows[0], nil), (rows[2], nil), ("[]", "batch"), (rows[26], "persistedQuery")] {
            let found = unsafe Array(row.utf8).withUnsafeBytes { body in
                outcome { () throws(EnvelopeError) in try unsafe GraphQLRequest.check(body, depthMax: 4) }
            }
            #expect(found == kind, "\(row)")
        }
    }

    /// The kind of the error; nil without one.
    private func outcome(_ body: () throws(EnvelopeError) -> Void) -> String? {
        do throws(EnvelopeError) {
            try body()
            return nil
        } catch { return "\(error.kind)" }
    }
}
