import Encodings

extension OperationCall {
    /// ListBuckets: for operators all buckets, for others those in which they may do something.
    func listBuckets() async throws(S3Error) -> S3Response {
        guard caller != .anonymous else { throw .accessDenied }
        let buckets = buckets.directory.all.filter { bucket in
            caller.isOperator || bucket.settings?.access.allowSomething(for: caller) ?? false
        }
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
