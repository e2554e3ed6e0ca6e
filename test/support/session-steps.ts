import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import { fileStore } from "../../src/log/file/store.ts";
import type { LogSession } from "../../src/log/port.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import type { OnRequest } from "../../src/reference-server/service-context.ts";
import { roster } from "./command.ts";
import { printedWords } from "./drawn/printed-words.ts";
import { gitRepository } from "./git-repository.ts";
import { inside } from "./inside.ts";
import { type InsideScene, insideScene } from "./inside-scene.ts";
import { oneLine } from "./plain-words.ts";
import { writeRoster } from "./roster-directory.ts";
import { openCall } from "./scenes.ts";
import { validatorOf } from "./schema-validators.ts";
import { scriptedServer } from "./scripted-server.ts";
import { remembering } from "./state-builders.ts";
import { toldByDocument } from "./told-by-document.ts";
import { standing, writesOf } from "./trap-scene.ts";
import { isWebhookMessage } from "./webhook-message.ts";

/** Where a session is played: a service, a directory with the roster of two people, and a time of its own. */
export interface Session extends InsideScene {
  readonly clock: Clock;
  /** What every command printed, the last first. */
  readonly printed: string[];
  readonly results: string[];
  readonly variables: Record<string, string>;
  /** How often the service had been asked before the last command. */
  readonly asked: { before: number };
  readonly heard: Readonly<Record<string, unknown>>[];
  /** Is told each request by its route and its number. */
  readonly during: { request: OnRequest };
  /** What `{name}` stands for. */
  readonly names: Map<string, string>;
  pass(milliseconds: number): void;
  /** It is noon of this day. */
  setDay(day: string): void;
}

/** A step that a file of sessions names by its first word. */
export type Verb = (session: Session, words: readonly string[], text: readonly string[]) => unknown;

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What other people do to the service, to files and to the lock, what becomes of time, and what is said of an output. */
export const commonVerbs: Readonly<Record<string, Verb>> = {
  user: ({ server }, [email = "", firstName = "Ann", lastName = "Test", account = "acc-1"]) =>
    server.world.addUser({ email, firstName, lastName, account }),
  "no-user": ({ server }, [email = ""]) => server.world.removeUser(email),
  status: ({ server }, [email = "", status = ""]) => server.world.setUserStatus(email, status),
  address: ({ server }, [email = "", to = ""]) => server.world.changeEmail(email, to),
  member: ({ server }, [team = "", email = ""]) => server.world.addMember(team, email),
  "no-member": ({ server }, [team = "", email = ""]) => server.world.removeMember(team, email),
  team: ({ server }, [name = "", ...members]) => server.world.addTeam({ name, admin: members[0] ?? "", members }),
  "team-name": ({ server }, [team = "", name = ""]) => server.world.renameTeam(team, name),
  account: ({ server }, [identifier = ""]) => server.world.addAccount({ identifier }),
  roles: ({ server }, [prefix = "", ...roles]) => server.world.setKeyRoles(prefix, roles),
  "project-key": ({ server }, [email = "", ...roles]) => server.world.addProjectKey(email, roles),
  knobs: ({ server }, [...json]) => server.setKnobs(JSON.parse(json.join(" "))),
  pass: ({ pass }, [time = ""]) => pass(Number(time.slice(0, -1)) * (units[time.slice(-1)] ?? 0)),
  day: ({ setDay }, [day = ""]) => setDay(day),
  link: ({ cwd }, [path = "", target = ""]) => symlink(target, join(cwd, path)),
  move: async ({ cwd }, [from = "", to = ""]) => {
    await mkdir(dirname(join(cwd, to)), { recursive: true });
    await rename(join(cwd, from), join(cwd, to));
  },
  copy: async ({ cwd }, [from = "", to = ""]) => {
    await mkdir(dirname(join(cwd, to)), { recursive: true });
    await copyFile(join(cwd, from), join(cwd, to));
  },
  remove: ({ cwd }, [path = ""]) => rm(join(cwd, path), { recursive: true }),
  repository: ({ cwd }, [path = "", ...kept]) => gitRepository(join(cwd, path), ...kept),
  /** The state is this one, as `remembering` has it, with the calls that are open. */
  remember({ remember }, json) {
    const { open = {}, ...state } = JSON.parse(json.join(" "));
    return remember(
      remembering({ lineage: "ours", ...state, open: Object.entries<string | null>(open).map(openCall) }),
    );
  },
  async hold({ cwd, names }) {
    const store = fileStore({ path: join(cwd, ".roster/log.jsonl"), clock: systemClock, randomness: systemRandomness });
    const held = await store.lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
    if (!held.ok) throw new Error(held.error.message);
    heldLocks.set(names, held.value);
  },
  /** The built command dies at this request of its route. */
  async killed({ cwd, env, variables, during }, [route = "", number, ...args]) {
    let come = 0;
    const kill = (child: { kill(signal: "SIGKILL"): boolean }) => {
      during.request = (of) => {
        if (of === route && ++come === Number(number)) child.kill("SIGKILL");
      };
    };
    expect((await roster(args, { cwd, env: { ...env, ...variables }, started: kill })).signal).toBe("SIGKILL");
  },
  /** At this request of its route a file gets other words. */
  at({ cwd, during }, [which = "", file = "", ...words]) {
    const [route, number] = which.split("@");
    const { request } = during;
    during.request = (of, come) => {
      request(of, come);
      if (of === route && come === Number(number)) writeFileSync(join(cwd, file), words.join(" "));
    };
  },
  release: ({ names }) => heldLocks.get(names)?.close(),
  "#": () => undefined,
  seed: () => undefined,
  each: () => undefined,
  env: ({ variables }, pairs) => void Object.assign(variables, variablesOf(pairs)),
  /** Another service, whose address and key are `{other endpoint}` and `{other key}`. */
  async other({ names }) {
    const server = await startReferenceServer({ port: 0 });
    onTestFinished(() => server.close());
    names.set("other endpoint", server.endpoint).set("other key", server.key);
  },
  /** The service starts again and knows nobody but these people. It gives the identifiers and prefixes of before once more. */
  async restart(session, left) {
    const { world, endpoint, close } = session.server;
    const known = world.users.filter(({ email }) => left.includes(email));
    const users = known.map(({ identifier, email, firstName, lastName }) => ({
      identifier,
      email,
      firstName,
      lastName,
    }));
    await close();
    const port = Number(new URL(endpoint).port);
    const server = await startReferenceServer({ port, seed: { users }, now: session.clock.now });
    onTestFinished(() => server.close());
    Object.assign(session, { server });
  },
  /** A webhook, `{hook}`, hears what it is told: `there heard` says these fields of each message, and how many calls had been sent by then. */
  async hook({ names, heard, server: service }) {
    const sent = writesOf(service).length;
    const server = await scriptedServer(({ body }) => {
      expect(isWebhookMessage(body), JSON.stringify(isWebhookMessage.errors)).toBe(true);
      heard.push({ ...(body as object), calls: writesOf(service).length - sent });
      return { status: 204, text: "" };
    });
    onTestFinished(() => server.close());
    names.set("hook", server.endpoint.href);
  },
  has: ({ printed }, words, text) =>
    expect(oneLine(printed[0] ?? "")).toContain(oneLine(text.length > 0 ? text.join(" ") : words.join(" "))),
  not: ({ printed }, words) => expect(oneLine(printed[0] ?? "")).not.toContain(words.join(" ")),
  like: ({ printed }, words) => expect(oneLine(printed[0] ?? "")).toMatch(new RegExp(words.join(" "), "u")),
  let({ printed, names }, [name = "", , ...pattern]) {
    const [, found] = new RegExp(pattern.join(" "), "u").exec(oneLine(printed[0] ?? "")) ?? [];
    names.set(name, found ?? expect.unreachable(`${pattern.join(" ")} in ${printed[0]}`));
  },
  ">": ({ cwd }, [file = "", ...words], text) =>
    writeRoster(cwd, { [file.slice(0, -1)]: `${text.length > 0 ? text.join("\n") : unescaped(words.join(" "))}\n` }),
  async "~"({ cwd }, [file = "", ...words], lines) {
    const path = join(cwd, file.slice(0, -1));
    const change = lines.length > 0 ? lines.join("\n") : unescaped(words.join(" "));
    const [from = "", to = ""] = change.split(/[ \n]=>[ \n]?/u);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replaceAll(from, to));
  },
  /** The last command printed what the one before it did, or the one so many before it. */
  same: ({ printed }, [ago = "1"]) => expect(timeless(printed[0] ?? "")).toBe(timeless(printed[Number(ago)] ?? "")),
  "same-output": ({ results }) => expect(results[0]).toBe(results[1]),
  keep: ({ cwd, names }, [path = ""]) => void names.set(`kept ${path}`, readFileSync(join(cwd, path), "utf8")),
  file({ cwd, names }, [path = "", verb, ...some], text) {
    const words = text.length > 0 ? text.join("\n").split(" ") : some;
    const found = existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), "utf8") : undefined;
    if (words[0] === "kept") expect(found).toBe(names.get(`kept ${words[1] ?? path}`));
    else if (verb === "mode") expect((statSync(join(cwd, path)).mode & 0o777).toString(8)).toBe(words[0]);
    else if (verb === "is") expect(found === undefined ? "gone" : "there", path).toBe(words[0]);
    else if (verb === "begins")
      expect(found?.slice(0, names.get(`kept ${words[0]}`)?.length)).toBe(names.get(`kept ${words[0]}`));
    else if (verb === "begins-with") expect(found?.slice(0, words.join(" ").length)).toBe(words.join(" "));
    else if (verb === "like") expect(found).toMatch(new RegExp(words.join(" "), "u"));
    else if (verb === "has") expect(found).toContain(unescaped(words.join(" ")));
    else expect(found).not.toContain(unescaped(words.join(" ")));
  },
};

/** What `hold` took for another run. */
export const heldLocks = new WeakMap<Session["names"], LogSession>();

export async function openSession(seed: Seed | undefined, place: string): Promise<Session> {
  const during: Session["during"] = { request: () => undefined };
  let [ahead, base, passed] = [0, systemClock.now, 0];
  const pass = (milliseconds: number) => {
    ahead += milliseconds;
    passed += milliseconds;
  };
  const now = () => base() + ahead;
  const scene = await insideScene({
    onRequest: (...which) => during.request(...which),
    // A day that is set is that of our machine alone: the time of the service never goes back.
    now: () => systemClock.now() + passed,
    ...(seed && { seed }),
    place,
  });
  const clock: Clock = { now, monotonic: () => systemClock.monotonic() + ahead, wait: async (time) => pass(time) };
  const names = new Map<string, string>([
    ["endpoint", scene.server.endpoint],
    ["cwd", scene.cwd],
  ]);
  onTestFinished(async () => void (await heldLocks.get(names)?.close()));
  return {
    ...scene,
    clock,
    printed: [],
    results: [],
    variables: {},
    asked: { before: 0 },
    heard: [],
    during,
    names,
    pass,
    setDay(day) {
      ahead = 0;
      base = () => Date.parse(`${day}T12:00:00Z`);
    },
  };
}

/** Whether something comes of a step that a file of sessions says. */
export function isRecorded(line: string): boolean {
  return /^(?:[$%]|there) /u.test(line);
}

/** Of whoever is `ada@acme.example`, as `ada@`. */
export async function comesOf(line: string, session: Session): Promise<string> {
  const [first = "", ...words] = line.split(" ");
  const comes = first === "there" ? standingOf(words, session) : await ranBy(first, words.join(" "), session);
  return comes.replaceAll("@acme.example", "@");
}

/** Whatever was done before must show by now, so that nothing is waited for. */
const meanwhile = 60_000;

async function ranBy(prompt: string, line: string, session: Session): Promise<string> {
  const all = [...line.matchAll(/(?<![^ ])"([^"]*)"|(?<![^ ])'([^']*)'|((?:[^\s"]|"[^"]*")+)/gu)].map(
    ([, double, single, bare]) => unescaped(double ?? single ?? bare ?? ""),
  );
  const start = all.findIndex((word) => !/^[A-Z_]+=/u.test(word));
  const given = Object.fromEntries(
    all.slice(0, start).map((word) => word.replaceAll('"', "").split(/=(.*)/su).slice(0, 2)),
  );
  const { IN: directory = ".", BUILT: built, ...env } = { ...session.variables, ...given };
  const isDocument = validatorOf("plan");
  const [words, [, file] = []] = piped(all.slice(start));
  const args = [...words, ...(prompt === "%" ? ["--format", "json"] : [])];
  session.pass(meanwhile);
  const before = writesOf(session.server).length;
  session.asked.before = session.server.requests.length;
  const where = { cwd: join(session.cwd, directory), env: { ...session.env, ...env } };
  const { code, stdout, stderr } = await (built === undefined ? inside : roster)(args, {
    ...where,
    clock: session.clock,
    ...(file === undefined ? {} : { input: readFileSync(join(session.cwd, file), "utf8") }),
  });
  session.printed.unshift(stdout + stderr);
  session.results.unshift(stdout);
  expect(session.printed[0]).not.toContain(session.server.key.split(".")[1]);
  if (prompt === "%")
    expect([isDocument(JSON.parse(stdout)), isDocument.errors ?? "as the schema says"]).toEqual([
      true,
      "as the schema says",
    ]);
  if (prompt === "%") expect(JSON.parse(stdout)).toMatchObject({ exit_code: code });
  const calls = writesOf(session.server).length - before;
  const errors = prompt === "%" ? [] : [...new Set([...stderr.matchAll(/error\[([a-z-]+)\]/gu)].map(([, one]) => one))];
  const end = [code, ...(calls === 0 ? [] : [calls === 1 ? "1 call" : `${calls} calls`]), ...errors].join(", ");
  return [end, ...(prompt === "%" ? toldByDocument(stdout).map((one) => named(one, session)) : [])].join("; ");
}

/** What stands before `<`, and from there on. */
function piped(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const at = words.includes("<") ? words.indexOf("<") : words.length;
  return [words.slice(0, at), words.slice(at)];
}

function standingOf([kind = "", begins = "", ...more]: readonly string[], session: Session): string {
  const { server, asked, heard } = session;
  if (kind === "heard") {
    const told = heard.map((message) => [begins, ...more].map((field) => heardField(field, message)).join(", "));
    return named(told.join("; ") || "nothing", session);
  }
  const requests = server.requests.slice(asked.before).filter(({ path }) => path.includes(begins));
  if (kind === "asked") return String(requests.length);
  const { [kind]: lines = [] } = standing(server) as Readonly<Record<string, readonly string[]>>;
  return (
    lines
      .filter((line) => line.startsWith(begins))
      .join(", ")
      .trim() || "none"
  );
}

/** `items:subject` is the subject of each item. */
function heardField(field: string, message: Readonly<Record<string, unknown>>): string {
  const [name = "", ...parts] = field.split(":");
  const picked = (one: Readonly<Record<string, unknown>>) => Object.fromEntries(parts.map((part) => [part, one[part]]));
  const value = message[name];
  return `${name} ${JSON.stringify(Array.isArray(value) && parts.length > 0 ? value.map(picked) : value)}`;
}

const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/gu;

function timeless(text: string): string {
  return text.replaceAll(time, "TIME");
}

/** With names in place of prefixes, and the digits of allowances left out. */
function named(line: string, { server, names }: Session): string {
  const keys = server.world.users.flatMap(({ email, accessKeys }) =>
    accessKeys.map(({ prefix, kind, team }) => [prefix, `${email.split("@")[0]} ${team?.name ?? kind}`] as const),
  );
  const places = ["endpoint", "cwd"].map((name) => [names.get(name) ?? "", name] as const);
  const all = [...keys, ...places];
  const told = all.reduce((text, [value, name]) => text.replaceAll(value, `{${name}}`), line);
  return timeless(told).replaceAll(/#[0-9a-f]{12}/gu, "");
}

export function filled(line: string, session: Session): string {
  const once = line.replaceAll(
    /\{([^{}"]+)\}/gu,
    (whole, name: string) => session.names.get(name) ?? standsFor(name, session) ?? whole,
  );
  return once === line || !/\{base64 /u.test(once) ? once : filled(once, session);
}

function standsFor(name: string, session: Session): string | undefined {
  const { server, printed, clock } = session;
  const [first = "", ...rest] = name.split(" ");
  const what = rest.join(" ");
  if (first === "code")
    return printed.flatMap(printedWords).find((one) => one.what.toLowerCase() === what.toLowerCase())?.word;
  if (first === "in") return new Date(clock.now() + Number.parseInt(what, 10) * 86_400_000).toISOString().slice(0, 10);
  if (first === "now") return new Date(clock.now()).toISOString();
  if (first === "long") return "a".repeat(201);
  if (first === "base64") return Buffer.from(what).toString("base64");
  if (first === "full") return server.world.fullKey(standsFor(what, session) ?? "");
  if (first === "key" && what === "whole") return server.key;
  if (first === "key") return server.key.split(".")[what === "secret" ? 1 : 0];
  const keys = server.world.users
    .filter(({ email }) => email.startsWith(`${first}@`))
    .flatMap(({ accessKeys }) => accessKeys);
  return keys.find(({ kind, team }) => (team?.name ?? kind) === what)?.prefix;
}

function variablesOf(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => word.replaceAll('"', "").split(/=(.*)/su).slice(0, 2)));
}

function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n");
}
