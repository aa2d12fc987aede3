import Encodings

extension OperationCall {
    /// ListBuckets, for operators: no role of an identity pool may list buckets.
    func listBuckets() async throws(S3Error) -> S3Response {
        guard caller.isOperator else { throw .accessDenied }
        try operation.checkHeaders(request)
        let prefix = request.parameter("prefix") ?? ""
        let region = buckets.directory.region
        let page = try bucketPage(prefix: prefix, inRegion: request.parameter("bucket-region") ?? region)
        let xml = XMLWriter(root: "ListAllMyBucketsResult") { xml in
            xml.addOwner("Owner")
            xml.add("Buckets") { xml in
                for bucket in page.buckets {
                    xml.add("Bucket") { xml in
                        xml.add("Name", bucket.record.name)
                        xml.add("CreationDate", DateTime.text(milliseconds: bucket.record.created))
                        xml.add("BucketRegion", region)
                    }
                }
            }
            if !prefix.isEmpty { xml.add("Prefix", prefix) }
            xml.add("ContinuationToken", page.next?.token)
        }
        return S3Response(xml)
    }

    /// The buckets of a page, in the order of their names.
    private func bucketPage(
        prefix: String, inRegion region: String
    ) throws(S3Error) -> (buckets: [BucketDirectory.Bucket], next: ObjectListQuery.Start?) {
        let countMax = try number("max-buckets", default: 10_000, in: 1...10_000)
        var all = buckets.directory.all.filter { $0.record.name.hasBytePrefix(prefix) }
        if region != buckets.directory.region { all = [] }
        if let token = request.parameter("continuation-token"), !token.isEmpty {
            guard case .after(let name)? = ObjectListQuery.Start(token: token) else {
                throw .invalidArgument("The continuation token provided is incorrect", "continuation-token", token)
            }
            all = all.filter { name.utf8.lexicographicallyPrecedes($0.record.name.utf8) }
        }
        let page = Array(all.prefix(countMax))
        return (page, page.count < all.count ? page.last.map { .after($0.record.name) } : nil)
    }
}
