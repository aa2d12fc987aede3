import HTTP
import Testing

@testable import Server

@Suite("What the HTTP layer refuses, in AppSync's words")
struct RefusalTests {
    @Test("a malformed and an oversized request are answered with AppSync's types, in a header and in the body")
    func words() async throws {
        try await TestServer.with { server in
            let table = [
                ("GET / HTTP/9.9\r\nHost: h\r\n\r\n", 505, "MalformedHttpRequestException"),
                ("GET / HTTP/1.1\r\n\r\n", 400, "MalformedHttpRequestException"),
                (
                    "POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999\r\n\r\n", 413,
                    "RequestEntityTooLargeException"
                ),
                (
                    "POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\n", 415,
                    "UnsupportedMediaTypeException"
                ),
            ]
            for (request, status, errorType) in table {
                let client = try server.connect()
                try client.send(request)
                let answer = try client.receive(hasBody: true)
                #expect(answer.status == status, "\(request)")
                #expect(answer["x-amzn-ErrorType"] == [errorType])
                #expect(answer["x-amzn-RequestId"].count == 1)
                #expect(answer.body.hasPrefix(#"{"errors":[{"errorType":"\#(errorType)","message":""#))
            }
        }
    }
}
