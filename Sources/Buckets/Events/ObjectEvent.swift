import Encodings
import JSON

/// A change of an object, as functions receive it.
struct ObjectEvent: Sendable {
    /// What happened.
    enum Name: String, Sendable {
        case put = "ObjectCreated:Put"
        case copy = "ObjectCreated:Copy"
        case completeMultipartUpload = "ObjectCreated:CompleteMultipartUpload"
        case delete = "ObjectRemoved:Delete"
    }

    var name: Name
    var bucket: String
    var key: String
    /// Present for a created object.
    var size: Int64?
    var etag: String?
    var context: CallContext
    /// Milliseconds since 1970.
    var time: Int64

    /// An element of `Records` (Amazon S3 User Guide, "Event message structure").
    ///
    /// - Parameter sequencer: Orders the events of one key.
    func json(region: String, configurationID: String, sequencer: String) -> JSONObject {
        var object: JSONObject = ["key": .string(Self.encoded(key)), "sequencer": .string(sequencer)]
        if let size { object["size"] = .number(String(size)) }
        if let etag { object["eTag"] = .string(etag) }
        let owner = BucketOwner.id
        return [
            "eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": .string(region),
            "eventTime": .string(DateTime.text(milliseconds: time)), "eventName": .string(name.rawValue),
            "userIdentity": ["principalId": .string(context.caller.principal)],
            "requestParameters": ["sourceIPAddress": .string(context.sourceAddress)],
            "responseElements": [
                "x-amz-request-id": .string(context.requestID), "x-amz-id-2": .string(context.requestID),
            ],
            "s3": [
                "s3SchemaVersion": "1.0", "configurationId": .string(configurationID),
                "bucket": [
                    "name": .string(bucket), "ownerIdentity": ["principalId": .string(owner)],
                    "arn": .string("arn:aws:s3:::\(bucket)"),
                ], "object": .object(object),
            ],
        ]
    }

    /// A key in the encoding of events: as in a form, with `+` for a space.
    private static func encoded(_ key: String) -> String {
        var bytes: [UInt8] = []
        for (index, word) in key.utf8.split(separator: 0x20, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "+")) }
            Percent.append(word, keepsSlash: true, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
