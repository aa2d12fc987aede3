import Encodings

extension OperationCall {
    /// ListParts.
    func listParts() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let upload = try await upload()
        try authorizeInitiator(of: upload)
        let max = try number("max-parts", default: 1_000, in: 0...1_000)
        let marker = try number("part-number-marker", default: 0, in: 0...Int(Int32.max))
        let found = try await buckets.parts(of: upload.id, after: marker, limit: max + 1, turn: turn)
        let parts = found.prefix(max)
        let xml = XMLWriter(root: "ListPartsResult") { xml in
            xml.add("Bucket", bucket)
            xml.add("Key", key)
            xml.add("UploadId", upload.id)
            xml.addInitiator(of: upload)
            xml.addOwner("Owner")
            xml.add("StorageClass", "STANDARD")
            xml.add("ChecksumAlgorithm", upload.algorithm?.rawValue)
            xml.add("ChecksumType", upload.checksumType?.rawValue)
            xml.add("PartNumberMarker", marker)
            xml.add("NextPartNumberMarker", parts.last?.number ?? 0)
            xml.add("MaxParts", max)
            xml.add("IsTruncated", found.count > parts.count && max > 0)
            for part in parts {
                xml.add("Part") { xml in
                    xml.add("PartNumber", part.number)
                    xml.add("LastModified", DateTime.text(milliseconds: part.modified))
                    xml.add("ETag", "\"\(part.etag)\"")
                    xml.add("Size", Int(part.size))
                    if let checksum = part.checksum { xml.add(checksum.algorithm.element, checksum.text) }
                }
            }
        }
        return S3Response(xml)
    }
}
