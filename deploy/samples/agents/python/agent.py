"""An agent of Subrosa: opens a case, adds a document, has it evaluated, and reads the answer as it comes. Standard library only."""

import http.client, json, os, ssl, sys, time, uuid
from urllib.parse import urlsplit

URL = urlsplit(os.environ["SUBROSA_URL"])
bearer = ""
TLS = ssl.create_default_context(cafile=os.environ.get("SUBROSA_CA") or None)
DOCUMENT = "# COMPLAINT\n\n[Party 1] demands judgment against [Party 2] for $80,000.00 for breach of contract.\n"


def send(path, body, headers):
    """Posts a body, with a new bearer when the old one has ended, and returns the response, whose body is still to be read. An answer that is
    an error ends the program, unless trying again may help."""
    global bearer
    connection = http.client.HTTPSConnection(URL.hostname, URL.port or 443, context=TLS, timeout=60)
    connection.request("POST", path, body, {**headers, "Authorization": "Bearer " + bearer})
    response = connection.getresponse()
    if response.status < 400:
        return response
    problem = json.loads(response.read())
    if response.status == 401 and path != "/v1/auth/token":
        bearer = post("/v1/auth/token", {"api_key": os.environ["SUBROSA_API_KEY"]})["bearer_token"]
        return send(path, body, headers)
    if response.status == 503:
        raise ConnectionError(problem["message"])  # worth another try
    sys.exit(f"{problem['error']}: {problem['message']} {problem.get('deepLink', '')}")


def post(path, value):
    return json.load(send(path, json.dumps(value), {"Content-Type": "application/json"}))


def events(response):
    """Yields each whole event as its id and its data; a stream that breaks off in the middle of one yields the part to nobody."""
    event = {}
    while line := response.readline().decode():
        name, _, value = line.rstrip("\r\n").partition(": ")
        if name:
            event[name] = value
        elif event:
            if "data" in event:
                yield event.get("id"), json.loads(event["data"])
            event = {}


def run(task):
    """Gives a task to the legal agent and yields every event of it once. The same POST, repeated with the last id, resumes."""
    last, failures = None, 0
    while failures < 8:
        try:
            headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
            for key, data in events(send("/v1/agent", json.dumps(task), headers)):
                last, failures = key or last, 0  # heartbeats have no id
                yield data
                if data["type"] == "phase_end":
                    return
        except (OSError, http.client.HTTPException):
            pass
        failures += 1  # a close without phase_end means: resume
        print("resuming after", last, flush=True)
        time.sleep(0.2 * failures)
    sys.exit("the stream could not be resumed")


case = post("/v1/cases", {"jurisdiction": "US"})["caseId"]
upload = {"Content-Type": "text/markdown", "Content-Disposition": 'attachment; filename="complaint.md"'}
print("case", case, "file", json.load(send(f"/v1/cases/{case}/files", DOCUMENT.encode(), upload))["items"][0]["fileId"])
task = {"sessionId": "sample-python", "seedPhase": {"phaseId": str(uuid.uuid4())}, "containerType": "case", "containerId": case, "requestType": "eval_req", "prompt": "Evaluate this case."}
for event in run(task):
    print("event", event["type"], event.get("status", ""), flush=True)
    if event["type"] == "direct_response":
        print(event["response"]["text"], "\ntier", event["response"]["evaluation"]["tier"], event["response"]["evaluation"]["tierName"])
    elif event["type"] == "error":
        sys.exit(event["message"])
