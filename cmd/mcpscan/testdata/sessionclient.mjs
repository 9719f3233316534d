// A client with the official SDK for TypeScript, for TestSharedSession:
// node sessionclient.mjs SDK CONFIG connects to the servers of the configuration, lists their
// tools, and calls the tools that standard input names, one a line. It prints the rule that
// refused a call, "ok" for none.
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [sdk, config] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(sdk, 'dist/esm/client', name)));
const { Client } = await load('index.js');
const { StdioClientTransport } = await load('stdio.js');

const clients = {};
const transports = [];
for (const [name, server] of Object.entries(JSON.parse(fs.readFileSync(config, 'utf8')).mcpServers)) {
  clients[name] = new Client({ name: 'session', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: server.command, args: server.args, env: { ...process.env } });
  transports.push(transport);
  await clients[name].connect(transport);
  await clients[name].listTools();
}
console.log('ready');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { server, tool, arguments: args } = JSON.parse(line);
  try {
    await clients[server].callTool({ name: tool, arguments: args });
    console.log('ok');
  } catch (error) {
    console.log(error.data?.rule ?? `failed: ${error}`);
  }
}
// The SDK terminates a server that takes longer than two seconds to exit, as on a busy machine.
for (const { _process: server } of transports) {
  const gone = once(server, 'exit');
  server.stdin.end();
  await gone;
}
for (const client of Object.values(clients)) await client.close();
