import Buckets
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
        let error = try? XMLReader.read(body, root: "Error")
        code = error?["Code"]?.text
        message = error?["Message"]?.text ?? "HTTP status \(status)"
        bucket = error?["BucketName"]?.text
        problem = code == nil ? (try? JSONReader.read(body)).flatMap(OperatorProblem.init) : nil
    }
}
