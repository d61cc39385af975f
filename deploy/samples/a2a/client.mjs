// Works with Subrosa by the agent-to-agent protocol, with the official JavaScript SDK (npm install @a2a-js/sdk).
//
// Set SUBROSA_URL, SUBROSA_API_KEY and SUBROSA_CASE, and NODE_EXTRA_CA_CERTS to the file of a local authority. BINDING is
// JSONRPC (the default) or HTTP+JSON.
import { randomUUID } from 'node:crypto';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory,
} from '@a2a-js/sdk/client';

const { SUBROSA_URL: url, SUBROSA_API_KEY: key, SUBROSA_CASE: caseId, BINDING: binding = 'JSONRPC' } = process.env;
for (const name of ['SUBROSA_URL', 'SUBROSA_API_KEY', 'SUBROSA_CASE']) {
  if (!process.env[name]) throw new Error(`set ${name}`);
}

const exchanged = await fetch(`${url}/v1/auth/token`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ api_key: key }),
});
const { bearer_token: bearer } = await exchanged.json();
const fetchImpl = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${bearer}`);
  return fetch(input, { ...init, headers });
};

const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [binding],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
});
const client = await new ClientFactory(options).createFromUrl(url);

const message = (text, more = {}) => ({
  tenant: '', metadata: undefined, configuration: undefined,
  message: {
    messageId: randomUUID(), role: Role.ROLE_USER, contextId: '', taskId: '', extensions: [], referenceTaskIds: [],
    metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }], ...more,
  },
});

// last prints what happens and returns the task as it stands at the end, or after most events where most is not 0.
async function last(stream, most = 0) {
  let task;
  let seen = 0;
  for await (const { payload } of stream) {
    const event = payload.value;
    if (payload.$case === 'task') task = event;
    if (payload.$case === 'statusUpdate') task.status = event.status;
    console.log(payload.$case, TaskState[task.status.state]);
    if (++seen === most) break; // which closes the stream
  }
  return task;
}

const asked = await last(client.sendMessageStream(message('What is agreed about notice?')));
console.log('asked:', asked.status.message.parts[0].content.value);
const done = await last(client.sendMessageStream(message(caseId, { taskId: asked.id, contextId: asked.contextId })));

const whole = await client.getTask({ tenant: '', id: done.id });
if (!whole.artifacts.length) throw new Error(`no answer: ${TaskState[whole.status.state]}`);
console.log('answer:', whole.artifacts[0].parts[0].content.value.split('\n')[0]);
const page = await client.listTasks({ tenant: '', contextId: done.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' });
console.log('tasks of the context:', page.totalSize);

// The stream is cut after two events: the task, which has the number 0, and event 1. The rest follows event 1.
const about = message('What is the notice period?');
about.message.metadata = { caseId };
const cut = await last(client.sendMessageStream(about), 2);
let events = 1;
const place = { serviceParameters: { 'Last-Event-ID': '1' } };
for await (const event of client.resubscribeTask({ tenant: '', id: cut.id }, place)) {
  events++;
  // A subscription stays open while the task waits.
  if (event.payload?.value?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) break;
}
console.log('resumed: events 2 to', events);

const other = await last(client.sendMessageStream(message('Not now.')));
const over = await client.cancelTask({ tenant: '', id: other.id, metadata: undefined });
console.log('cancelled:', TaskState[over.status.state]);
