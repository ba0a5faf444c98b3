"""One flight: writes the wind that the drone meets to the session."""
import json, os

with open("wind.json") as wind, open(os.environ["PERTURB_SESSION"], "w") as session:
    json.dump({"probe": "DRONE", "name": "wind", "attributes": json.load(wind)}, session)
    session.write("\n")
