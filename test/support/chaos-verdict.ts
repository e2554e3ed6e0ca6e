import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { unmetOf, type Wanted, wantedOf } from "./chaos-company.ts";
import type { Stage } from "./chaos-stage.ts";
import type { CommandResult } from "./command.ts";
import { mailedTwice } from "./witness.ts";

type Ran = Omit<CommandResult, "signal">;

interface Finding {
  readonly blocking: boolean;
  readonly code: string;
  readonly subject: string;
}

interface RunDocument {
  readonly exit_code: number;
  readonly actions?: readonly { readonly id: string }[];
  readonly findings?: readonly Finding[];
  readonly run?: { readonly findings: readonly Finding[]; readonly outcomes: readonly { readonly outcome: string }[] };
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What holds of every run that comes to its end, in whatever trouble. */
export function judgeEnd(stage: Stage, { code, stdout, stderr }: Ran, edition: number, where: string): void {
  const { draw, server, troubles, tell } = stage;
  tell(`${where}: exit code ${code}\n${stdout}${stderr}`);
  const { error, exit_code: told, findings = [] } = JSON.parse(stdout) as RunDocument;
  const missing = unmetOf(wantedOf(draw.company, edition), server);
  const unmet = missing.filter(({ about: [address = ""] }) => !isPending(stage, address, findings));
  if (code === 0 && unmet.length > 0) {
    troubles.push(`${where}: exit code 0 without ${unmet.map(({ what }) => what).join(", ")}`);
  }
  if (told !== code) troubles.push(`${where}: exit code ${code}, and the document says ${told}`);
  if (![0, 1, 7, 9].includes(code ?? -1) || error?.code === "internal") {
    troubles.push(`${where}: exit code ${code}: ${error?.message}`);
  }
  for (const secret of secretsOf(stage)) {
    if (`${stdout}${stderr}`.includes(secret)) troubles.push(`${where}: the secret of a key is in the output`);
  }
}

/** How long reads may be late, where nothing was set or learned. */
const consistencyWindow = 15 * 60_000;

/**
 * Reads do not show a user whom somebody else removed soon after roster created them. Nor does a service whose reads are
 * late. Nobody can tell the one from the other within the window: it is enough that roster calls the user pending.
 */
function isPending({ witness, removed, time }: Stage, address: string, findings: readonly Finding[]): boolean {
  const createdAt = witness.createdAt.get(address);
  const isTold = findings.some(({ code, subject }) => code === "write-pending" && subject === `user ${address}`);
  return isTold && removed.has(address) && createdAt !== undefined && time.now() - createdAt < consistencyWindow;
}

function secretsOf({ server }: Stage): readonly string[] {
  const full = server.world.users.flatMap(({ accessKeys }) =>
    accessKeys.map(({ prefix }) => server.world.fullKey(prefix)),
  );
  return [server.key, ...full].map((key) => key.slice(key.indexOf(".") + 1));
}

/** What holds at every moment, of the service and of what is on the disk. */
export async function judgeMoment(stage: Stage, where: string): Promise<void> {
  const { server, witness, troubles } = stage;
  const state = await stage.keeping.read();
  if (typeof state === "string") troubles.push(`${where}: ${state}`);
  for (const breach of witness.breaches.splice(0)) troubles.push(`${where}: ${breach}`);
  for (const mail of mailedTwice(server)) troubles.push(`${where}: mailed twice: ${mail}`);
  const kept = stage.keeping.text();
  if (secretsOf(stage).some((secret) => kept.includes(secret))) troubles.push(`${where}: a secret is in the state`);
}

/** Where a service shows everything, only what no call can mend may keep the roster from being reached. */
const unmendable: readonly string[] = ["user-missing", "cannot-create-team", "refused"];

/**
 * The wanted teams that are not there, while a team that nobody wants has two of their members: only a person can say whether
 * that is the same team under its former name.
 */
function likelyRenames({ teams }: Wanted, { world }: Pick<ReferenceServer, "world">): Wanted["teams"] {
  const unwanted = world.teams.filter(({ name }) => !teams.some((team) => team.name === name));
  return teams.filter(
    ({ name, members }) =>
      !world.teams.some((team) => team.name === name) &&
      unwanted.some((team) => team.members.filter((address) => members.includes(address)).length >= 2),
  );
}

/** What holds in the end: the roster is reached, or each thing that is missing is named; and a plan has nothing to do. */
export function judgeFinally(stage: Stage, last: Ran, plan: Ran, edition: number): void {
  const { draw, server, troubles, removed } = stage;
  const { findings = [], run } = JSON.parse(last.stdout) as RunDocument;
  const blocking = [...findings, ...(run?.findings ?? [])].filter((finding) => finding.blocking);
  const failed = (run?.outcomes ?? []).filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded");
  const told = JSON.stringify([...blocking, ...failed]);
  const mayStay = !draw.service.showsAll || blocking.some(({ code }) => unmendable.includes(code));
  // Whom somebody else removed and put back without the team, a person has to decide about.
  const isRemoved = ([address = ""]: readonly string[]) =>
    removed.has(address) &&
    blocking.some(({ code, subject }) => code === "member-removed" && subject.includes(address));
  const wanted = wantedOf(draw.company, edition);
  const withheld = likelyRenames(wanted, server).filter(({ name }) =>
    blocking.some(({ code, subject }) => code === "renamed-team" && subject.includes(name.toLowerCase())),
  );
  const isWithheld = (about: readonly string[]) =>
    withheld.some(({ name, members }) => about.some((word) => word === name || members.includes(word)));
  for (const { what, about } of unmetOf(wanted, server)) {
    if (!about.some((word) => told.includes(word))) troubles.push(`in the end, ${what} is missing and nothing says so`);
    else if (!mayStay && !isRemoved(about) && !isWithheld(about))
      troubles.push(`in the end, ${what} is missing: ${blocking.map(({ code }) => code).join(", ")}`);
  }
  const { actions = [] } = JSON.parse(plan.stdout) as RunDocument;
  if (plan.code !== 0 && plan.code !== 9) troubles.push(`in the end, a plan ends with ${plan.code}`);
  if (actions.length > 0) troubles.push(`in the end, a plan has ${actions.map(({ id }) => id).join(", ")}`);
}
