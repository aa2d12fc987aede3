extension OperationCall {
    /// Tests what CompleteMultipartUpload says of the object: its size and the type of its checksum.
    func checkDeclarations(of upload: UploadRecord, size: Int) throws(S3Error) {
        if let text = request.header("x-amz-mp-object-size"), text.decimal != size {
            throw .invalidRequest(
                "The provided 'x-amz-mp-object-size' header value \(text) does not match what was computed: \(size)")
        }
        guard let name = request.header("x-amz-checksum-type") else { return }
        let type = try ChecksumType.named(name)
        if let expected = upload.checksumType, expected != type {
            throw .invalidRequest(
                "The upload was created using the \(expected.rawValue) checksum mode. The complete request must use the same checksum mode."
            )
        }
    }
}
