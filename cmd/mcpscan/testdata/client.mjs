// A client of the official TypeScript SDK that uses what server-everything offers, and prints each
// result as a line. Usage: node client.mjs SDK (URL | -- COMMAND ARGUMENT…)
const [sdk, url, ...command] = process.argv.slice(2);
const load = (name) => import(`file://${sdk}/dist/esm/${name}.js`);
const { Client } = await load("client/index");
const { StdioClientTransport } = await load("client/stdio");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp");
const types = await load("types");

const print = (what, value) => console.log(`${what}: ${JSON.stringify(value)}`);
const client = new Client(
  { name: "sdk-client", version: "1.0.0" },
  { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } },
);
const asked = [];
client.setRequestHandler(types.CreateMessageRequestSchema, async (request) => {
  asked.push(["sampling", request.params.messages]);
  return { model: "test", role: "assistant", content: { type: "text", text: "sampled" } };
});
client.setRequestHandler(types.ElicitRequestSchema, async (request) => {
  asked.push(["elicitation", request.params.message, Object.keys(request.params.requestedSchema.properties)]);
  const [first] = Object.keys(request.params.requestedSchema.properties);
  const choice = request.params.requestedSchema.properties[first];
  const value = choice.oneOf?.[0].const ?? choice.enum?.[0] ?? "elicited";
  return { action: "accept", content: { [first]: value } };
});
client.setRequestHandler(types.ListRootsRequestSchema, async () => {
  asked.push(["roots"]);
  return { roots: [{ uri: "file:///project", name: "project" }] };
});
const transport = url === "--"
  ? new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env, stderr: "inherit" })
  : new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
print("server", [client.getServerVersion(), client.getServerCapabilities()]);

// The server lists more tools once it has asked for the roots of the client.
let tools = [];
for (let n = 0; n < 200 && !tools.some((t) => t.name === "get-roots-list"); n++) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  tools = (await client.listTools()).tools;
}
print("tools", tools);

const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
print("prompts", (await client.listPrompts()).prompts);
print("resources", (await client.listResources()).resources.length);
print("echo", await call("echo", { message: "\u00e9\u{1F600}\n\"" }));

const steps = [];
print("result", await call("trigger-long-running-operation", { duration: 0.3, steps: 3 }, { onprogress: (p) => steps.push(p) }));
print("progress", steps.slice(0, 2)); // the SDK may take the answer before the last one

const stop = new AbortController();
try {
  await call("trigger-long-running-operation", { duration: 20, steps: 100 }, { onprogress: () => stop.abort("no longer needed"), signal: stop.signal });
  print("cancelled", "it answers all the same");
} catch (e) {
  print("cancelled", String(e.message ?? e));
}
print("ping", await client.ping());

print("sampling", await call("trigger-sampling-request", { prompt: "hello", maxTokens: 10 }));
print("elicitation", await call("trigger-elicitation-request", {}));
print("roots", await call("get-roots-list", {}));
try {
  print("unknown", await call("no-such-tool", {}));
} catch (e) {
  print("unknown", String(e.message));
}

if (client.experimental?.tasks) {
  const states = [];
  const stream = client.experimental.tasks.callToolStream(
    { name: "simulate-research-query", arguments: { topic: "proxies", ambiguous: true } },
    types.CallToolResultSchema, { task: { ttl: 60000 } });
  for await (const message of stream) {
    if (message.type === "taskStatus" && states.at(-1) !== message.task.status) {
      states.push(message.task.status);
    } else if (message.type === "result") {
      print("task", message.result.content);
    } else if (message.type === "error") {
      print("task", message.error.message);
    }
  }
  print("states", [...new Set(states)].sort());
}
const distinct = [...new Set(asked.map((a) => JSON.stringify(a)))].sort();
print("asked", distinct);
if (transport.terminateSession) await transport.terminateSession();
await client.close();
process.exit(0);
