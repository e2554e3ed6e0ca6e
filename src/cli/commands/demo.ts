import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReferenceServer, startReferenceServer } from "../../reference-server/server.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { openLogAt } from "../log.ts";
import { findProgram } from "../trust/programs.ts";
import { apply } from "./apply.ts";
import { drift } from "./drift.ts";
import { plan } from "./plan.ts";
import { seedFrom } from "./serve.ts";

/** Shows the whole of it on a service of its own: the commands are the real ones, run on `examples/acme`. */
export async function demo(host: Host): Promise<{ readonly exitCode: number }> {
  const packageDirectory = installedPackage().directory;
  const seed = await seedFrom("acme", host);
  const server = await startReferenceServer({ port: 0, ...(seed === undefined ? {} : { seed }) });
  const directory = await mkdtemp(join(tmpdir(), "roster-demo-"));
  try {
    return await runStory({ server, state: `file:${join(directory, "log.jsonl")}`, packageDirectory }, host);
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface DemoSetup {
  readonly server: ReferenceServer;
  readonly state: string;
  readonly packageDirectory: string;
}

const roster = "examples/acme";

async function runStory(stage: DemoSetup, host: Host): Promise<{ readonly exitCode: number }> {
  const { server, state, packageDirectory } = stage;
  const env = {
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_API_KEY: server.key,
    ROSTER_STATE: state,
    PATH: host.env["PATH"],
  };
  const inside: Host = { ...host, env, cwd: packageDirectory };
  const flags = { format: "text" } as const;
  const steps: readonly Step[] = [
    {
      title: "Acme has a few users and a team. Its roster asks for more. What would be done?",
      command: `roster plan ${roster}`,
      run: () => plan([roster], flags, inside),
      expects: 0,
    },
    {
      title: "Apply it.",
      command: `roster apply --auto-approve ${roster}`,
      run: () => apply([roster], { ...flags, autoApprove: true }, inside),
      expects: 0,
    },
    {
      title: "Does the service match the roster now?",
      command: `roster plan --detailed-exitcode ${roster}`,
      run: () => plan([roster], { ...flags, detailedExitcode: true }, inside),
      expects: 0,
    },
    {
      title: "A key gets an administrator role outside roster. A drift job reports it.",
      command: `roster drift ${roster}`,
      run: async () => ((await simulateDrift(stage, inside)) ? drift([roster], flags, inside) : { exitCode: 1 }),
      expects: 2,
    },
    {
      title: "Repair it.",
      command: `roster apply --auto-approve ${roster}`,
      run: () => apply([roster], { ...flags, autoApprove: true }, inside),
      expects: 0,
    },
  ];
  for (const step of steps) if (!(await runStep(step, host))) return { exitCode: 1 };
  host.stdout.write(await farewell(packageDirectory, host));
  return { exitCode: 0 };
}

interface Step {
  readonly title: string;
  readonly command: string;
  readonly run: () => Promise<{ readonly exitCode: number }>;
  readonly expects: number;
}

async function runStep(step: Step, host: Host): Promise<boolean> {
  host.stdout.write(`\n── ${step.title}\n$ ${step.command}\n\n`);
  const { exitCode: code } = await step.run();
  host.stdout.write(`\n(exit code ${code})\n`);
  if (code === step.expects) return true;
  host.stderr.write(`error: this step of the demo must end with exit code ${step.expects}.\n`);
  return false;
}

/** Gives the first key whose roles a run has set the role of an administrator. */
async function simulateDrift({ server, state }: DemoSetup, host: Host): Promise<boolean> {
  const log = await openLogAt(state, host, {});
  const [prefix] = (await log.read()).keys.keys();
  if (prefix === undefined) return false;
  server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN", "TEAM_ROLE"]);
  host.stdout.write(`(another client set the roles of key ${safe(prefix)} to ACCOUNT_ADMIN and TEAM_ROLE)\n\n`);
  return true;
}

/** With the command that works in this terminal: from a checkout, `roster` is not on the path. */
async function farewell(packageDirectory: string, host: Host): Promise<string> {
  const isOnPath = (await findProgram("roster", host)) !== undefined;
  const command = isOnPath ? "roster" : `node ${JSON.stringify(join(packageDirectory, "dist/main.js"))}`;
  const steps = [
    ["init my-roster && cd my-roster", "a small commented roster"],
    ["serve", "in another terminal: a test service"],
    ["plan", "after pasting the two export lines that serve prints"],
    ["apply", "after your approval"],
  ];
  const lines = steps.map(([words = "", about]) => `  ${command} ${words.padEnd(33)} # ${about}\n`);
  return `\n── The demo ran on its own service, which has stopped now. To try your own:\n\n${lines.join("")}`;
}
