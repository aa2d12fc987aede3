import JSON

/// A response of a server with a status of 400 or more: S3's error, or where buckets are not served that of the operators' API.
struct S3Refusal: Error {
    /// S3's code of the error, such as `NoSuchBucket`.
    let code: String?
    /// S3's sentence.
    let message: String
    /// The bucket that does not exist.
    let bucket: String?
    /// The error of the operators' API.
    let problem: OperatorProblem?

    init(_ status: Int, _ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        code = FilesClient.elements("Code", of: text).first
        message = FilesClient.elements("Message", of: text).first ?? "HTTP status \(status)"
        bucket = FilesClient.elements("BucketName", of: text).first
        problem = code == nil ? (try? JSONReader.read(body)).flatMap(OperatorProblem.init) : nil
    }
}
