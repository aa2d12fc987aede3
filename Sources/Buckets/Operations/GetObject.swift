import Encodings
import Tables

extension OperationCall {
    /// GetObject and HeadObject.
    func getObject() async throws(S3Error) -> S3Response {
        try authorize(.get)
        // HEAD opens the file too: an object whose file is missing is not there for either.
        guard let found = try await buckets.open(bucket, key) else { throw try missing(key, in: bucket) }
        return try answer(found.object, request.method == "HEAD" ? nil : found.blob)
    }

    /// The same, synchronously.
    ///
    /// - Returns: nil if the file cannot be opened: the object was replaced after its metadata were read, the file is missing, or the
    ///   system has refused. Then it must be read again by `getObject`, which finds out which it is.
    func getObject(reading reader: MetadataReader) throws(S3Error) -> S3Response? {
        try authorize(.get)
        guard let object = try reader.object(bucket, key)?.object else { throw try missing(key, in: bucket) }
        guard let blob = try? buckets.blobs.open(object.blob) else { return nil }
        return try answer(object, operation == .getObject ? blob : nil)
    }

    /// The response to an authorized read of an existing object.
    ///
    /// - Parameter blob: Its bytes; nil for HEAD.
    func answer(_ object: ObjectRecord, _ blob: OpenBlob?) throws(S3Error) -> S3Response {
        if try RequestConditions(request).isNotModified(object) {
            var response = S3Response(304)
            response.add(object)
            response.headers += object.headers.system.filter { $0.name != "Content-Encoding" }
            return response
        }
        var response = S3Response(200)
        let size = Int(object.size)
        var range = 0..<size
        // No `Content-Range` can name a range without bytes (RFC 9110 §14.4): the part of an empty object is the whole object.
        if let selected = try selectedRange(of: object), !selected.isEmpty || size > 0 {
            range = selected
            response.status = 206
            if !range.isEmpty {
                response.headers.append(
                    ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            }
        }
        response.add(object)
        response.headers.append(("Accept-Ranges", "bytes"))
        response.headers += try overridden(object.headers.lines)
        if !object.tags.isEmpty, caller.isOperator {
            response.headers.append(("x-amz-tagging-count", String(object.tags.count)))
        }
        if let parts = object.parts, request.has("partNumber") {
            response.headers.append(("x-amz-mp-parts-count", String(parts.count)))
        }
        // boto3 would compare the checksum of the whole object with that of the range.
        if let checksum = object.checksum, range == 0..<size,
            request.field("x-amz-checksum-mode")?.asciiLowercased == "enabled", request.header("range") == nil
        {
            response.headers += Self.lines(checksum)
        }
        response.body = blob.map { .blob($0, range) } ?? .head(byteCount: range.count)
        return response
    }

    /// The range that Range or `partNumber` asks for; nil for the whole object.
    private func selectedRange(of object: ObjectRecord) throws(S3Error) -> Range<Int>? {
        let size = Int(object.size)
        if let text = request.parameter("partNumber") {
            guard request.header("range") == nil else {
                throw .invalidRequest("Cannot specify both Range header and partNumber query parameter")
            }
            guard let number = text.decimal, 1...buckets.limits.partsMax ~= number else {
                throw .invalidArgument(
                    "Part number must be an integer between 1 and \(buckets.limits.partsMax), inclusive", "partNumber",
                    text)
            }
            let range = object.parts.map { $0.range(of: number) } ?? (number == 1 ? 0..<size : nil)
            guard let range else {
                throw S3Error("InvalidPartNumber", 416, "The requested partnumber is not satisfiable")
            }
            return range
        }
        guard let text = request.header("range"), let requested = RequestedRange(text) else { return nil }
        // RFC 9110 §13.1.5: for another version, the whole object is returned.
        if let condition = request.header("if-range"), !RequestConditions.matches(condition, object.etag),
            HTTPTime.seconds(of: condition) != object.modified / 1_000
        {
            return nil
        }
        guard let range = requested.range(ofSize: size) else { throw .invalidRange(text, size: size) }
        return range
    }

    /// The stored headers, with those that the query overrides replaced.
    private func overridden(
        _ lines: [(name: String, value: String)]
    ) throws(S3Error) -> [(name: String, value: String)] {
        // Few requests override any.
        guard request.parameters.contains(where: { $0.name.hasBytePrefix("response-") }) else { return lines }
        var lines = lines
        for name in ["Content-Type"] + ObjectHeaders.systemNames {
            let parameter = "response-\(name.asciiLowercased)"
            guard let text = request.parameter(parameter), let value = try ObjectHeaders.checked(text, parameter)
            else { continue }
            guard caller != .anonymous else {
                throw .invalidRequest(
                    "Request specific response headers cannot be used for anonymous GET requests.")
            }
            lines.removeAll { $0.name == name }
            lines.append((name, value))
        }
        return lines
    }

    /// The headers of a checksum.
    static func lines(_ checksum: ObjectChecksum?) -> [(name: String, value: String)] {
        guard let checksum else { return [] }
        return [(checksum.algorithm.header, checksum.text), ("x-amz-checksum-type", checksum.type.rawValue)]
    }
}
