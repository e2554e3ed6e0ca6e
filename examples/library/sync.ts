// Plans, shows and applies a roster. Run it with Node 22.18 or later: node sync.ts
import { apply, connect, type LibraryError, loadRoster, openState, plan, type Result } from "rosterctl";

const { ROSTER_ENDPOINT = "", ROSTER_API_KEY = "" } = process.env;

const roster = value(await loadRoster({ paths: ["roster.yaml"], cwd: import.meta.dirname }));
const service = value(await connect({ endpoint: ROSTER_ENDPOINT, key: ROSTER_API_KEY }));
const state = value(await openState({ url: "file:.roster/log.jsonl", cwd: process.cwd() }));

const planned = value(await plan({ roster, service, state }));
console.log(
  `Plan ${planned.plan.id}: ${planned.plan.actions.length} actions, ${planned.plan.findings.length} findings`,
);

// Only the plan that was looked at is applied. Another one, since something changed meanwhile, is an error.
const run = apply({ roster, service, state, approve: { id: planned.plan.id } });
for await (const event of run.events) console.log(event.type);
const { run: summary } = value(await run.result);
for (const [action, outcome] of summary?.outcomes ?? []) console.log(`${action}: ${outcome.is}`);

await service.close();
await state.close();

/** Errors are values. A program that cannot go on may throw them. */
function value<Value>(result: Result<Value, LibraryError>): Value {
  if (result.ok) return result.value;
  throw result.error;
}
