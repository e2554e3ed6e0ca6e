// Plans, shows and applies a roster. Run it with Node 22.18 or later: node sync.ts
import { apply, connect, loadRoster, openLog, plan } from "rosterctl";

const { ROSTER_ENDPOINT = "", ROSTER_API_KEY = "" } = process.env;

// Each function throws a `RosterError` where it cannot go on.
const roster = await loadRoster({ paths: ["roster.yaml"], cwd: import.meta.dirname });
const service = await connect({ endpoint: ROSTER_ENDPOINT, key: ROSTER_API_KEY });
const log = await openLog({ url: "file:.roster/log.jsonl", cwd: process.cwd() });

const planned = await plan({ roster, service, log });
console.log(
  `Plan ${planned.plan.id}: ${planned.plan.actions.length} actions, ${planned.plan.findings.length} findings`,
);

// Only the plan that was looked at is applied. Another one, since something changed meanwhile, is an error.
const run = apply({ roster, service, log, approve: { id: planned.plan.id } });
for await (const event of run.events) console.log(event.type);
const { run: summary } = await run.result;
for (const [action, outcome] of summary?.outcomes ?? []) console.log(`${action}: ${outcome.is}`);

await service.close();
await log.close();
