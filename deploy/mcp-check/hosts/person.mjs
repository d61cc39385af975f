// The part of a host that the libraries leave to it: an OAuth provider that remembers in memory, and a place for the
// browser to come back to. The address to open is printed; whoever runs this opens it.
import { createServer } from "node:http";

export class Person {
  constructor(redirect, documentAddress) {
    this.redirectUrl = redirect;
    if (documentAddress) this.clientMetadataUrl = documentAddress;
    this.came = [];
    this.signIns = 0;
    this.server = createServer((req, res) => {
      const address = new URL(req.url, redirect);
      if (address.pathname !== new URL(redirect).pathname) return res.writeHead(404).end();
      res.end("You can close this page.");
      const waiting = this.waiting;
      this.waiting = undefined;
      if (waiting) waiting(address.searchParams);
      else this.came.push(address.searchParams);
    }).listen(Number(new URL(redirect).port), "127.0.0.1");
  }

  get clientMetadata() {
    return {
      client_name: "Subrosa's own check",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client) {
    this.client = client;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens) {
    this.kept = tokens;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveDiscoveryState(state) {
    this.discovered = state;
  }

  discoveryState() {
    return this.discovered;
  }

  redirectToAuthorization(address) {
    this.signIns++;
    process.stdout.write(`${address.href} \n`);
  }

  // answer waits for the browser.
  answer() {
    if (this.came.length > 0) return Promise.resolve(this.came.shift());
    return new Promise((resolve) => (this.waiting = resolve));
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}
