import HTTP
import NIOPosix

/// The console's pages and files: `/console/`, the paths below it, and redirections to it. The pages have no data and need no
/// session.
enum ConsoleEndpoint: Endpoint {
    /// The HTML shell or, below `assets`, a file.
    case page
    /// 303 to the pages.
    case redirection

    var allowsCORS: Bool { false }

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.acceptsConsoleRequest(request) else { return }
        switch self {
        case .redirection: requestContext.redirectToConsole()
        case .page:
            let (files, path) = (ConsoleFiles.shared, request.path)
            guard path == ConsolePage.assets || path.hasPrefix("\(ConsolePage.assets)/") else {
                let page = ConsolePage(files, path: path)
                return requestContext.answer(200, "text/html;charset=UTF-8", fields: page.fields, Array(page.html.utf8))
            }
            let prefix = "\(ConsolePage.assets)/\(files.hash)/"
            let name = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : ""
            guard name != ConsoleFiles.shell, let file = files.file(name) else {
                return requestContext.refuse(.unknownPath)
            }
            requestContext.send(file, isFromDisk: files.isFromDisk, takesGzip: request.takesGzip)
        }
    }
}

extension RequestContext {
    /// Sends a browser to the console's pages. No page of another origin may read the answer, also at `/`, where operations of
    /// user pools are open to such pages.
    func redirectToConsole() {
        var response = Response(
            status: 303, headers: services.templates.closed.bare,
            fields: [
                ("Content-Type", "text/plain;charset=UTF-8"), ("Location", "/console/"), ("Cache-Control", "no-store"),
            ], body: Array("The console is at /console/.\n".utf8))
        response.requestID = requestID
        send(response, errorType: nil)
    }

    /// Whether a request for `/` comes from a browser to which the console is served.
    func isForConsole(_ request: Request) -> Bool {
        guard request.method == .get, request[header: "authorization"] == nil,
            request[header: "accept"]?.contains("text/html") == true,
            let console = services.servedAPI?.console, console.isServed(to: request, in: services.state.mode)
        else { return false }
        return console.problem(of: request, isSecure: isSecure(request)) == nil
    }

    /// Sends a file: compressed for a client that takes it, which happens once for each file, off the event loop.
    fileprivate func send(_ file: ConsoleFile, isFromDisk: Bool, takesGzip: Bool) {
        guard takesGzip, file.isCompressible else { return send(file, packed: nil, isFromDisk) }
        if let known = file.compressedIfKnown { return send(file, packed: known, isFromDisk) }
        NIOThreadPool.singleton.submit { state in
            let packed = if case .active = state { file.compressed() } else { [UInt8]?.none }
            loop.execute { send(file, packed: packed, isFromDisk) }
        }
    }

    private func send(_ file: ConsoleFile, packed: [UInt8]?, _ isFromDisk: Bool) {
        let lifetime = isFromDisk ? "no-store" : "public, max-age=31536000, immutable"
        var fields: [(name: String, value: String)] = [
            ("Content-Type", file.contentType), ("Cache-Control", lifetime), ("Vary", "Accept-Encoding"),
            ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ]
        if packed != nil { fields.append(("Content-Encoding", "gzip")) }
        var response = Response(
            status: 200, headers: templates.bare, fields: fields + ConsolePage.fieldsOfAll, body: packed ?? file.bytes,
            allowsCompression: false)
        response.requestID = requestID
        send(response, errorType: nil)
    }
}

extension Request {
    /// Whether the client takes gzip (RFC 9110 §12.5.3). A weight of 0 is the only one that matters here.
    fileprivate var takesGzip: Bool {
        (self[header: "accept-encoding"] ?? "").lowercased().split(separator: ",").contains { part in
            let sides = part.split(separator: ";").map { $0.filter { $0 != " " } }
            return sides.first == "gzip"
                && !sides.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
        }
    }
}
