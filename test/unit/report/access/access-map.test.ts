import { expect, test } from "vitest";
import { formatAccess } from "../../../../src/report/access/access-formats.ts";
import { accessMap } from "../../../../src/report/access/access-map.ts";
import { type AccessReview, type AccessRow, noAccess } from "../../../../src/report/access/access-review.ts";

function reviewOf(...rows: readonly Partial<AccessRow>[]): AccessReview {
  return {
    asOf: "2026-11-28T00:00:00.000Z",
    from: "service",
    gaps: [],
    rows: rows.map((row) => ({ ...noAccess, person: "ada@acme.example", prefix: "k-1", granted_at: "2026", ...row })),
  };
}

const roles = (...names: readonly string[]) => ({
  roles: names.map((role) => ({ role, privileged: false, extra: false, until: undefined })),
  unread: false,
});

test("one cell a person and team: own keys, teams by name, keys whose team is not shown", () => {
  const map = accessMap(
    reviewOf(
      { team: "Web", role: "USER", source: "roster", until: "2027-01-31" },
      { team: "web", role: "ADMIN", privileged: true, source: "not-in-roster" },
      { role: "USER" },
      { person: "bo@acme.example", status: "barred", team: "Data" },
      { person: "cy@acme.example", team: "Data", not_shown: "roles" },
      { person: "di@acme.example", prefix: undefined, not_shown: "keys" },
      { person: "ed@acme.example", role: "USER", not_shown: "team" },
    ),
  );
  expect(map).toEqual({
    columns: ["own key", "Data", "web", "team not shown"],
    rows: [
      {
        person: "ada@acme.example",
        status: undefined,
        cells: [
          roles("USER"),
          undefined,
          {
            roles: [
              { role: "USER", privileged: false, extra: false, until: "2027-01-31" },
              { role: "ADMIN", privileged: true, extra: true, until: undefined },
            ],
            unread: false,
          },
          undefined,
        ],
      },
      { person: "bo@acme.example", status: "barred", cells: [undefined, roles(), undefined, undefined] },
      {
        person: "cy@acme.example",
        status: undefined,
        cells: [undefined, { roles: [], unread: true }, undefined, undefined],
      },
      { person: "di@acme.example", status: undefined, cells: ["unread", "unread", "unread", "unread"] },
      { person: "ed@acme.example", status: undefined, cells: ["unread", "unread", "unread", roles("USER")] },
    ],
  });
});

test("the picture of a small map, with hostile names", () => {
  const svg = formatAccess(
    reviewOf(
      { team: "</text><script>x</script>", role: "ADMIN", privileged: true, source: "roster", until: "2027-01-31" },
      { person: "<b>&\"'\u001b[31m", status: "barred", prefix: undefined, not_shown: "keys" },
    ),
    "svg",
  );
  expect(svg).not.toMatch(/<script|<b>/u);
  expect(svg.replace(/<style>[\s\S]*<\/style>/u, "<style/>")).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Access map" width="594" height="162" viewBox="0 0 594 162">
    <style/>
    <rect width="594" height="162"/>
    <text x="16" y="18" class="head">Access, read from the service at 2026-11-28T00:00:00.000Z</text>
    <text x="16" y="36" class="dim">! privileged · * not in the roster · unread: the source does not show it</text>
    <text x="16" y="54" class="dim">The service does not show the keys of some users.</text>
    <text x="16" y="72" class="head">person</text>
    <text x="156.8" y="72" class="head">&lt;/text&gt;&lt;script&gt;x&lt;/script&gt;</text>
    <line x1="16" x2="367.8" y1="78" y2="78"/>
    <text x="16" y="96">&lt;b&gt;&amp;&quot;&#39;\\u{1b}[31m</text>
    <text x="16" y="114" class="dim">barred</text>
    <text x="156.8" y="96" class="extra">unread</text>
    <line x1="16" x2="367.8" y1="120" y2="120"/>
    <text x="16" y="138">ada@acme.example</text>
    <text x="156.8" y="138" class="alarm">! ADMIN until 2027-01-31</text>
    <line x1="16" x2="367.8" y1="144" y2="144"/>
    </svg>
    "
  `);
});

test("a picture of 300 people and 40 teams, and of 10,000 people, is drawn", () => {
  const people = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ person: `p${n}@acme.example`, team: `Team ${n % 40}`, role: "USER" }));
  const width = (svg: string) => Number(/ width="(\d+)"/u.exec(svg)?.[1]);
  const svg = formatAccess(reviewOf(...people(300)), "svg");
  expect(svg.match(/>USER</gu)).toHaveLength(300);
  expect(width(svg)).toBeLessThan(5_000);
  expect(formatAccess(reviewOf(...people(10_000)), "svg").match(/>USER</gu)).toHaveLength(10_000);
});
