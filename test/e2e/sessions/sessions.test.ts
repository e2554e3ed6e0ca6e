import { chmodSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished } from "vitest";
import { canonicalJson, sha256 } from "../../../src/model/json.ts";
import { eventLines } from "../../support/event-lines.ts";
import { memoryPlace } from "../../support/memory-place.ts";
import { passingProxy } from "../../support/passing-proxy.ts";
import { bucketCredentials } from "../../support/s3-place.ts";
import type { Session, Verb } from "../../support/session-steps.ts";
import { testSessions } from "../../support/sessions.ts";
import { smallS3 } from "../../support/small-s3.ts";

const buckets = new WeakMap<object, Awaited<ReturnType<typeof smallS3>>>();

function bucketOf({ names }: Session) {
  const bucket = buckets.get(names) ?? expect.unreachable("a session without a bucket");
  const batches = [...bucket.objects()].filter(([path]) => path.startsWith("roster/log/")).sort();
  return { bucket, batches };
}

const logOf = ({ cwd }: Session) => join(cwd, ".roster/log.jsonl");

/** A snapshot, changed by somebody who has put the checksum right again. */
function forged(text: string, changes: Readonly<Record<string, unknown>>): string {
  const all = JSON.parse(text) as Record<string, unknown>;
  const { checksum: _, ...content } = all;
  const state = { ...(content["state"] as object), ...(changes["state"] as object | undefined) };
  const users = [...(content["users"] as readonly unknown[])].reverse();
  const changed: Record<string, unknown> = {
    ...content,
    ...changes,
    ...(changes["users"] === "reversed" && { users }),
    ...(changes["state"] !== undefined && { state }),
  };
  const whole: Record<string, unknown> = { ...all, ...changed, checksum: sha256(canonicalJson(changed)) };
  const { document: _document, ...fields } = whole;
  const valueText = (value: unknown) =>
    !Array.isArray(value) || value.length === 0
      ? canonicalJson(value)
      : `[\n${value.map(canonicalJson).join(",\n")}\n]`;
  const lines = Object.entries({ document: all["document"], ...fields });
  return `{\n${lines.map(([name, value]) => `${JSON.stringify(name)}: ${valueText(value)}`).join(",\n")}\n}\n`;
}

const verbs: Readonly<Record<string, Verb>> = {
  people({ server }, [count]) {
    for (let at = 0; at < Number(count); at += 1)
      server.world.addUser({ email: `p${at}@x.example`, firstName: "P", lastName: "Q" });
  },
  "key-status": ({ server }, [prefix = "", status = ""]) => server.world.setKeyStatus(prefix, status),
  "service-has-no": ({ server }, words) => expect(JSON.stringify(server.world.users)).not.toContain(words.join(" ")),
  "between-creations"({ server }, expected) {
    const calls = server.requests.map(({ method, path }) =>
      /POST .*\/users$/u.test(`${method} ${path}`) ? "POST" : "read",
    );
    const first = calls.indexOf("POST");
    expect([...new Set(calls.slice(first + 1, calls.indexOf("POST", first + 1)))]).toEqual(expected);
  },
  "forge-snapshot"({ cwd }, [file = "", from = "", ...json]) {
    writeFileSync(join(cwd, file), forged(readFileSync(join(cwd, from), "utf8"), JSON.parse(json.join(" "))));
  },
  /** Between a line of the version and the summary stand lines of these types, in this order of their first ones. */
  stream({ printed }, types) {
    const lines = eventLines((printed[0] ?? "").replace(/^(?!\{).*\n?/gmu, ""));
    const told = lines.map(({ type }) => type);
    expect([told[0], told.at(-1), [...new Set(told.slice(1, -1))]]).toEqual(["version", "summary", types]);
    expect(told.filter((type) => type === "version" || type === "summary" || type === "planned").length).toBeLessThan(
      4,
    );
    expect(lines[0]?.["command"]).toBe(lines.at(-1)?.["command"]);
  },
  /** At `{late}`, requests of one path reach the service only once another path was asked for twice. */
  async late({ server, names }, [path = "", other = ""]) {
    const come: string[] = [];
    const before = async ({ url }: { readonly url: string }) => {
      come.push(url);
      while (url.includes(path) && come.filter((one) => one.includes(other)).length < 2) await setTimeout(5);
    };
    names.set("late", await passingProxy(server.endpoint, { before }, onTestFinished));
  },
  /** A file of a terabyte, of which nothing is on the disk. */
  huge: ({ cwd }, [file = ""]) => truncateSync(join(cwd, file), 2 ** 40),
  mode: ({ cwd }, [file = "", mode = ""]) => chmodSync(join(cwd, file), Number.parseInt(mode, 8)),
  "without-end": ({ cwd }, [file = "", ...words]) => writeFileSync(join(cwd, file), words.join(" ")),
  /** A runner reads `NAME<<END`, the value and `END`. */
  output({ cwd }, [name, value]) {
    const text = readFileSync(join(cwd, "outputs"), "utf8");
    expect(new RegExp(`^${name}<<(\\S+)\\n([\\s\\S]*?)\\n\\1\\n`, "mu").exec(text)?.[2]).toBe(value);
  },
  async bucket({ names, variables }) {
    const bucket = await smallS3({ clock: { now: Date.now } });
    onTestFinished(() => bucket.close());
    buckets.set(names, bucket);
    variables["ROSTER_STATE"] = `s3://acme/roster/log?region=us-east-1&endpoint=${bucket.endpoint}`;
    variables["AWS_ACCESS_KEY_ID"] = bucketCredentials.accessKeyId;
    variables["AWS_SECRET_ACCESS_KEY"] = bucketCredentials.secretAccessKey;
  },
  "change-bucket"(session, [from = "", to = ""]) {
    const { bucket, batches } = bucketOf(session);
    for (const [path, text] of batches) bucket.put(path, text.replaceAll(from, to));
  },
  "cut-bucket"(session) {
    const { bucket, batches } = bucketOf(session);
    const last = batches.slice(1).map(([path]) => path);
    bucket.replace(new Map([...bucket.objects()].filter(([path]) => !last.includes(path))));
  },
  "bucket-holds-no-key"(session) {
    const all = [...bucketOf(session).bucket.objects().values()].join();
    expect(all).toContain("ada@acme.example");
    expect(all).not.toContain(session.server.key.split(".")[1]);
    expect([all, ...session.printed].join()).not.toContain(bucketCredentials.secretAccessKey);
  },
  "cut-log": (session) =>
    writeFileSync(logOf(session), /^(?:.*\n){4}/u.exec(readFileSync(logOf(session), "utf8"))?.[0] ?? ""),
  "change-digest"(session) {
    const text = readFileSync(logOf(session), "utf8");
    const [, digest = ""] = /"type":"checkpoint-taken".*"digest":"([0-9a-f]{64})"/u.exec(text) ?? [];
    writeFileSync(logOf(session), text.replace(digest, "0".repeat(64)));
  },
  /** As it stands where a copy dies: after so many lines, or before it is finished. */
  copying(session, [file = "", lines]) {
    const mark = JSON.stringify({ position: 0, copying: `file:${logOf(session)}` });
    writeFileSync(join(session.cwd, `${file}.checkpoint`), `{"bytes":0}\n${mark}`);
    const text = readFileSync(logOf(session), "utf8").split("\n").slice(0, Number(lines)).join("\n");
    if (lines !== undefined) writeFileSync(join(session.cwd, file), `${text}\n`);
  },
  async around({ run }, [file = "", id]) {
    const { plan_id, access, unread } = JSON.parse((await run(["access", file, "--format", "json"])).stdout);
    const key = (name: string, status: string | null, prefix: string | null, team: string | null) => {
      return { person: `${name}@acme.example`, status, prefix, team };
    };
    const rows = access.filter(({ person }: { person: string }) => person.endsWith("@acme.example"));
    expect({ plan_id, unread, rows }).toEqual({
      plan_id: id,
      unread: [],
      rows: [
        { ...key("ada", "active", "adaKey01", null), before: ["DEVELOPER"], after: ["AUDITOR", "DEVELOPER"] },
        { ...key("ada", "active", "adaKey02", null), before: ["TEAM_ROLE"], after: ["TEAM_ROLE"] },
        { ...key("bo", null, null, "Red"), before: [], after: ["AUDITOR"] },
        { ...key("cy", null, null, null), before: [], after: null },
      ],
    });
  },
  "lose-state-at-first-request"({ cwd, during }) {
    during.request = () => {
      during.request = () => undefined;
      rmSync(join(cwd, ".roster"), { recursive: true });
    };
  },
  /** One moment is an hour after another, or as much more as our clock is ahead of the service's. */
  "an-hour"(_, [from = "", to = ""]) {
    const minutes = (Date.parse(to) - Date.parse(from)) / 60_000;
    expect([minutes >= 60, minutes < 70]).toEqual([true, true]);
  },
};

const files = readdirSync("test/e2e/sessions").filter((file) => file.endsWith(".txt"));

describe.each(files)("%s", (file) => {
  const place = file === "reports.txt" ? tmpdir() : memoryPlace;
  testSessions(new URL(file, import.meta.url), verbs, place);
});
