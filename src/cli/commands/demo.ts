import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definedFields } from "../../model/collections.ts";
import { startReferenceServer } from "../../reference-server/server.ts";
import { safe } from "../../report/safe.ts";
import type { SomeFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { packageDirectory } from "../installed-package.ts";
import { openLogAt } from "../log.ts";
import { type EndedCommand, runCommand } from "../run-command.ts";
import { findProgram } from "../trust.ts";
import { apply } from "./apply.ts";
import { drift } from "./drift.ts";
import { plan } from "./plan.ts";
import { seedFrom } from "./serve.ts";

const roster = "examples/acme";

const commands = { plan, apply, drift } as const;

/** Shows the whole of it on a service of its own: the commands are the real ones, run on `examples/acme`. */
export async function demo(_flags: object, host: Host): Promise<EndedCommand> {
  const seed = await seedFrom("acme", host);
  const server = await startReferenceServer({ port: 0, ...definedFields({ seed }) });
  const directory = await mkdtemp(join(tmpdir(), "roster-demo-"));
  const state = `file:${join(directory, "log.jsonl")}`;
  const { endpoint: ROSTER_ENDPOINT, key: ROSTER_API_KEY } = server;
  const env = { ROSTER_ENDPOINT, ROSTER_API_KEY, ROSTER_STATE: state, PATH: host.env["PATH"] };
  const cwd = packageDirectory();
  const inside: Host = { ...host, env, cwd };
  const flags = { format: "text" } as const;
  const ran = (name: "plan" | "apply" | "drift", own: SomeFlags = {}) =>
    runCommand(name, flags, inside, (command) => commands[name](command, [roster], { ...flags, ...own }));
  const planning = () => ran("plan");
  const applying = () => ran("apply", { autoApprove: true });
  const checking = () => ran("plan", { detailedExitcode: true });
  const drifting = async () => {
    const log = await openLogAt(state, inside, {});
    const [prefix] = (await log.read()).keys.keys();
    if (prefix === undefined) return { exitCode: 1 };
    server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN", "TEAM_ROLE"]);
    host.stdout.write(`(another client set the roles of key ${safe(prefix)} to ACCOUNT_ADMIN and TEAM_ROLE)\n\n`);
    return ran("drift");
  };
  const intended = "Acme has a few users and a team. Its roster asks for more. What would be done?";
  const story: readonly (readonly [title: string, command: string, () => Promise<EndedCommand>, expects: number])[] = [
    [intended, "plan", planning, 0],
    ["Apply it.", "apply --auto-approve", applying, 0],
    ["Does the service match the roster now?", "plan --detailed-exitcode", checking, 0],
    ["A key gets an administrator role, but not from roster. A drift job reports it.", "drift", drifting, 2],
    ["Repair it.", "apply --auto-approve", applying, 0],
  ];
  try {
    for (const [title, command, run, expects] of story) {
      host.stdout.write(`\n── ${title}\n$ roster ${command} ${roster}\n\n`);
      const { exitCode } = await run();
      host.stdout.write(`\n(exit code ${exitCode})\n`);
      if (exitCode === expects) continue;
      host.stderr.write(`error: this step of the demo must end with exit code ${expects}.\n`);
      return { exitCode: 1 };
    }
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
  // With the command that works in this terminal: from a checkout, `roster` is not on the path.
  const isOnPath = (await findProgram("roster", host)) !== undefined;
  const command = isOnPath ? "roster" : `node ${JSON.stringify(join(cwd, "dist/main.js"))}`;
  const steps = [
    ["init my-roster && cd my-roster", "a small commented roster"],
    ["serve", "in another terminal: a test service"],
    ["plan", "after pasting the two export lines that serve prints"],
    ["apply", "after your approval"],
  ];
  const lines = steps.map(([words = "", about]) => `  ${command} ${words.padEnd(33)} # ${about}\n`);
  host.stdout.write(
    `\n── The demo ran on its own service, which has stopped now. To try your own:\n\n${lines.join("")}`,
  );
  return { exitCode: 0 };
}
