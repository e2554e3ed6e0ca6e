import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { comesOf, commonVerbs, type Session, type Verb } from "../../support/session-steps.ts";
import { testSessions } from "../../support/sessions.ts";
import { companyThere, standing } from "../../support/trap-scene.ts";

const place = "test/e2e/traps";
const noTest = "none yet";

const proxies = new WeakMap<Session["names"], FaultProxy>();

function passed({ names }: Session, method: string, path: string) {
  const all = proxies.get(names)?.passed ?? [];
  return all.filter((one) => one.method === method && one.url.includes(path));
}

function everythingWritten(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

const verbs: Readonly<Record<string, Verb>> = {
  /** Just as the roster of two people wants it: nobody and nothing twice. `at-heart`: but for keys that no team has. */
  "company-there"({ server }, [part]) {
    const isShown = (key: string) => part === undefined || key.includes(" Red: ");
    const [there, wanted] = [standing(server), companyThere].map((all) => ({ ...all, keys: all.keys.filter(isShown) }));
    expect(there).toEqual(wanted);
  },
  /** With this exit code, whatever is told. */
  async ends(session, [code, ...words]) {
    expect((await comesOf(`% ${words.join(" ")}`, session)).split(/[,;]/u)[0]).toBe(code);
  },
  "nothing-sent": ({ writes }) => expect(writes()).toEqual([]),
  /** While this request of its route is under way, somebody does this. */
  at(session, [route, number, verb = "", ...words]) {
    session.during.request = (of, at) => {
      if (of === route && at === Number(number)) commonVerbs[verb]?.(session, words, []);
    };
  },
  async elsewhere({ server: { endpoint, key } }, [email, firstName, lastName]) {
    const headers = { authorization: `ApiKey ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ email, firstName, lastName });
    const answer = await fetch(`${endpoint}/api/accounting/accounts/acc-1/users`, { method: "POST", headers, body });
    expect(answer.ok).toBe(true);
  },
  async watched({ server, names, variables }) {
    const proxy = await faultProxy(server.endpoint, {}, onTestFinished);
    proxies.set(names, proxy);
    variables["ROSTER_ENDPOINT"] = proxy.endpoint;
  },
  sent: (session, [method = "", path = "", ...bodies]) =>
    expect(passed(session, method, path).flatMap(({ url, body }) => (url.endsWith(path) ? [body] : []))).toEqual(
      bodies,
    ),
  called: (session, [method = "", ...paths]) =>
    expect(
      passed(session, method, "")
        .map(({ url }) => url.replace("/api/accounting/", ""))
        .sort(),
    ).toEqual(paths),
  "no-secrets"({ server, printed, cwd }) {
    const told = [...printed, everythingWritten(cwd)].join("\n");
    const prefixes = server.world.users.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => prefix));
    const secrets = prefixes.map((prefix) => server.world.fullKey(prefix).slice(prefix.length + 1));
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  },
  "key-always-sent": ({ server }) => expect(server.requests.filter(({ sentKey }) => !sentKey)).toEqual([]),
  "asked-only-here"({ server: { requests, endpoint } }) {
    expect([...new Set(requests.map(({ host }) => `http://${host}`))]).toEqual([endpoint]);
    expect(requests.filter(({ path }) => path.startsWith("/moved"))).toEqual([]);
  },
  unpolluted: () => expect("polluted" in {}).toBe(false),
};

describe.each(readdirSync(place).filter((file) => file.endsWith(".txt")))("traps of %s", (file) => {
  testSessions(new URL(file, import.meta.url), verbs);
});

interface Row {
  readonly trap: number;
  readonly files: string;
  readonly tests: string;
}

/** The rows of the table "Traps and their tests", each trap with its few words left out. */
function tableRows(): readonly Row[] {
  const [, section = ""] = readFileSync("test/README.md", "utf8").split("## Traps and their tests");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gmu) ?? [];
  return [...rows].map(([, trap, files = "", tests = ""]) => ({ trap: Number(trap), files, tests }));
}

/** The same rows as the titles of the tests give them: a test's title begins with its trap's number. */
function rowsOfTests(): readonly Row[] {
  const titles = readdirSync(place).flatMap((file) =>
    [
      ...readFileSync(join(place, file), "utf8").matchAll(
        file.endsWith(".txt") ? /^(\d+): (.+)$/gmu : /^.*\("?\n? *"?(\d+): (.+?)",?(?: |$)/gmu,
      ),
    ].map(([, trap, title = ""]) => ({ trap: Number(trap), file: file.replace(/(?:\.test\.ts|\.txt)$/u, ""), title })),
  );
  return Array.from({ length: 60 }, (_, index) => {
    const own = titles.filter(({ trap }) => trap === index + 1);
    const files = [...new Set(own.map(({ file }) => file))].join(", ");
    return { trap: index + 1, files: files || noTest, tests: own.map(({ title }) => title).join("; ") || noTest };
  });
}

test("the table of traps names the tests of each of the sixty, and no others", () => {
  expect(tableRows()).toEqual(rowsOfTests());
});
