# Decides the conflicts of rooms: the lower price wins, and nobody deletes what he has not seen.
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Decide(BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        item, stored = event["newItem"], event["existingItem"]
        if event["resolver"]["field"] == "updateRoom":
            item["price"] = min(item["price"], stored["price"])
            decision = {"action": "RESOLVE", "item": item}
        else:
            decision = {"action": "REJECT"}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(decision).encode())

server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Decide)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
