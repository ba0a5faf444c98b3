"""A mutator server with Python's standard library: its mutator sets the wind in wind.json."""
import argparse, json, os, re, uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote

KEY = os.environ.get("WIND_API_KEY")  # without one, no key is required
SPEED = {"name": "speed", "value_type": "Float", "value_min": 0.0, "value_max": 40.0, "units": "m/s"}
WIND = {"mutator.name": "simulation-wind", "mutator.layer": "environmental", "mutator.tags.drone": True}
WIND |= {f"mutator.params.speed.{key}": value for key, value in SPEED.items()}
LISTING = [{"mutator_correlation_id": "wind", "attributes": WIND}]

def set_wind(speed):
    with open("wind.json", "w") as file:
        json.dump({"speed": speed}, file)

class Api(BaseHTTPRequestHandler):
    timeout = 10  # seconds that a client may take

    def status(self, body):
        key = self.headers.get("mutator_apikey")
        if KEY and key != KEY:
            return 400 if key is None else 401
        if self.command == "GET":
            return 200 if self.path == "/mutator" else 404
        path = re.fullmatch("/mutator/([^/]+)/mutation", self.path)
        if path is None or unquote(path[1]) != "wind":
            return 404
        speed = 0.0
        if self.command == "POST":
            try:
                mutation = json.loads(body)
                uuid.UUID(mutation["mutation"])
                speed = mutation["params"]["speed"]
                if not SPEED["value_min"] <= speed <= SPEED["value_max"]:
                    return 400
            except (ValueError, TypeError, KeyError, AttributeError):
                return 400
        try:
            set_wind(speed)
        except OSError:
            return 500
        return 201 if self.command == "POST" else 200

    def do_GET(self):
        status = self.status(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        body = json.dumps(LISTING).encode() if self.command == "GET" and status == 200 else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def log_message(self, *_):
        pass

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=8080)
server = HTTPServer(("127.0.0.1", parser.parse_args().port), Api)
set_wind(0.0)
print("Ctrl-C resets the wind and stops the server.", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    set_wind(0.0)
