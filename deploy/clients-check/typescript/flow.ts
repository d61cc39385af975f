// Plays the first hour of an agent with the client that openapi-generator writes in TypeScript.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { AgentsApi, CasesApi, Configuration, FilesApi } from "./client/index.js";

const env = (name: string): string => process.env[name] ?? "";
const as = (accessToken?: string): Configuration => new Configuration({ basePath: env("SUBROSA_URL"), accessToken });
const user = new AgentsApi(as(env("SUBROSA_USER_TOKEN")));
const nobody = new AgentsApi(as());

const token = await user.createRegistrationToken();
const agent = await nobody.registerAgent({
  registerRequest: { registrationToken: token.registrationToken, agentCardUrl: env("SUBROSA_CARD") },
});
const bearer = await nobody.exchangeKey({ exchangeKeyRequest: { apiKey: agent.sharedApiKey } });

const caller = as(bearer.bearerToken);
const opened = await new CasesApi(caller).createCase({ caseDraft: { title: "Lease dispute between [Party 1] and [Party 2]" } });
const paper = new File([await readFile(env("SUBROSA_FILE"))], basename(env("SUBROSA_FILE")), { type: "text/markdown" });
const files = new FilesApi(caller);
const stored = await files.addFiles({ caseId: opened.caseId, file: [paper] });
const listed = await files.listFiles({ caseId: opened.caseId });
const page = await new CasesApi(caller).listCases();

const same = listed.items[0]?.fileId === stored.items[0]?.fileId;
console.log(`files: ${listed.items.length}, listed: ${"items" in page && page.items.length > 0}, same: ${same}`);
await user.disconnectAgent({ agentId: agent.agentId });
