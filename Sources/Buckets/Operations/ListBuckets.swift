import Encodings

extension OperationCall {
    /// ListBuckets, for operators: no role of an identity pool may list buckets.
    func listBuckets() async throws(S3Error) -> S3Response {
        guard caller.isOperator else { throw .accessDenied }
        try UnsupportedHeaders.check(request)
        let buckets = buckets.directory.all
        let xml = XMLWriter(root: "ListAllMyBucketsResult") { xml in
            xml.addOwner("Owner")
            xml.add("Buckets") { xml in
                for bucket in buckets {
                    xml.add("Bucket") { xml in
                        xml.add("Name", bucket.record.name)
                        xml.add("CreationDate", DateTime.text(milliseconds: bucket.record.created))
                    }
                }
            }
        }
        return S3Response(xml)
    }
}
