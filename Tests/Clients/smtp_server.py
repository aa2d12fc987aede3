"""A server of SMTP for tests: takes messages to all but two recipients, for whom it answers 451 and 550; wants AUTH PLAIN with
the user `app` and the password `secret`. Prints its port, and ends when its input does."""

import base64
import os
import socketserver
import sys
import threading


class Handler(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write((text + "\r\n").encode())

    def handle(self):
        self.say("220 test")
        is_known = False
        while line := self.rfile.readline().decode().strip():
            verb = line.split(" ")[0].upper()
            if verb == "EHLO":
                self.say("250-test")
                self.say("250 AUTH PLAIN")
            elif verb == "AUTH":
                words = line.split(" ")
                if len(words) < 3:
                    self.say("334 ")
                    words.append(self.rfile.readline().decode().strip())
                is_known = base64.b64decode(words[2]) == b"\0app\0secret"
                self.say("235 ok" if is_known else "535 no")
            elif verb == "MAIL":
                self.say("250 ok" if is_known else "530 authentication required")
            elif verb == "RCPT" and "later@" in line:
                self.say("451 try again")
            elif verb == "RCPT" and "never@" in line:
                self.say("550 no such user")
            elif verb == "DATA":
                self.say("354 go on")
                while self.rfile.readline().strip() != b".":
                    pass
                self.say("250 taken")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")


socketserver.ThreadingTCPServer.allow_reuse_address = True
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
