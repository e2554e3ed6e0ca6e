import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { precedence } from "../../../src/cli/exit-code.ts";
import { catalogue } from "../../../src/codes/catalogue.ts";
import { stops } from "../../../src/codes/guards.ts";
import { defaultGuards } from "../../../src/library/policy.ts";
import { sources, usedCodes } from "../../support/used-codes.ts";

const known = new Set(catalogue().map(({ code }) => code));

function namesIn(file: string, name: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const start = text.indexOf(`${name} =`);
  const end = text.slice(start).search(/;\n/u);
  return [...text.slice(start, start + end).matchAll(/"([a-z-]+)"/gu)].flatMap(([, code]) => code ?? []);
}

const unions: Readonly<Record<string, readonly [file: string, name: string]>> = {
  failures: ["src/model/failure.ts", "FailureCode"],
  "classes of findings": ["src/model/finding.ts", "findingClasses"],
  "faults of a roster": ["src/roster/diagnostics.ts", "type LocalCode"],
  "faults that other files may mend": ["src/roster/diagnostics.ts", "dependsOnOtherFiles"],
};

describe("the catalogue of codes", () => {
  test.each(Object.entries(unions))("has all %s", (_, [file, name]) => {
    const names = namesIn(file, name);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((code) => !known.has(code))).toEqual([]);
  });

  test("has every code that something in src tells", () => {
    const used = usedCodes();
    expect(used.length).toBeGreaterThan(150);
    expect(used.filter(({ code }) => !known.has(code))).toEqual([]);
  });

  test("says the defaults of guards, as the page about guards does", () => {
    const { maxNewUsers, maxInvitations, maxRoleRemovals } = defaultGuards;
    const [share, floor] = [`${maxRoleRemovals.ratio * 100} %`, String(maxRoleRemovals.floor)];
    const page = readFileSync("docs/guards.md", "utf8");
    expect(stops["max-new-users"].rule).toContain(`The default is ${maxNewUsers}.`);
    expect(page).toContain(`\`max-new-users\` (stop, ${maxNewUsers})`);
    expect(stops["max-invitations"].rule).toContain(`The default is ${maxInvitations}.`);
    expect(page).toContain(`\`max-invitations\` (stop, ${maxInvitations})`);
    expect(stops["max-role-removals"].rule).toContain(
      `more than ${share} of the managed keys and from more than ${floor}`,
    );
    expect(page).toContain(`\`max-role-removals\` (stop, ${share}, at least ${floor})`);
  });

  test("has every code with which a command ends, and no other", () => {
    const ends = [0, ...precedence.map(({ code }) => code)];
    const told = catalogue().flatMap(({ kind, code }) => (kind === "exit-code" ? [Number(code)] : []));
    expect(told).toEqual(ends.toSorted((a, b) => a - b));
  });

  test("has no code that nothing in src tells", () => {
    const texts = sources().map(({ text }) => text);
    const isTold = (code: string) => texts.some((text) => new RegExp(`["\`]${code}["/]`, "u").test(text));
    const idle = catalogue().filter(({ kind, code }) => kind !== "exit-code" && !isTold(code));
    expect(idle.map(({ code }) => code)).toEqual([]);
  });

  test("says each code of a kind once, in sentences", () => {
    const names = catalogue().map(({ kind, code }) => `${kind} ${code}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const unlike = catalogue().filter(
      ({ title, means, next }) =>
        /[.!]$/u.test(title) || !/[.…]$/u.test(means) || !/\.$/u.test(next) || /(?<!!)!(?!!)/u.test(means + next),
    );
    expect(unlike.map(({ code }) => code)).toEqual([]);
  });
});
