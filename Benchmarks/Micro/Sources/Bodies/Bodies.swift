#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import HTTP

/// `Bodies PORT FILE`: a PUT of any path streams its body into the file, a GET answers with the file. What a bucket does
/// to the largest bodies, without anything around it, to be measured beside nginx.
@main enum Bodies {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else { fatalError("Bodies PORT FILE") }
        let server = HTTPServer(responder: FileResponder(path: arguments[2]))
        _ = try server.listen(host: "127.0.0.1", port: port)
        while true { pause() }
    }
}

private struct FileResponder: Responder {
    let path: String

    func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception { .stream(bytesMax: 4 << 30) }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        if let body = request.stream { return receive(body, reply) }
        do throws(ReadableFile.OpenError) {
            let file = try ReadableFile(path: path)
            reply.send(Response(status: 200, content: .file(file, range: 0..<file.byteCount)))
        } catch {
            reply.send(Response(status: 404))
        }
    }

    private func receive(_ body: RequestBody, _ reply: Reply) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return reply.send(Response(status: 500)) }
        readNext(body, descriptor, reply)
    }

    private func readNext(_ body: RequestBody, _ descriptor: CInt, _ reply: Reply) {
        body.read { part in
            switch part {
            case .bytes(let bytes):
                guard write(bytes, to: descriptor) else { return end(descriptor, 500, reply) }
                readNext(body, descriptor, reply)
            case .end: end(descriptor, 201, reply)
            case .failed: end(descriptor, 400, reply)
            }
        }
    }

    private func end(_ descriptor: CInt, _ status: Int, _ reply: Reply) {
        close(descriptor)
        reply.send(Response(status: status))
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress! + place, bytes.count - place)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                place += count
            }
            return true
        }
    }
}
