import fc from "fast-check";
import { expect, test } from "vitest";
import { insertEntries } from "../../src/yaml/edit.ts";
import { readYaml } from "../../src/yaml/read.ts";
import type { MapNode, Node } from "../../src/yaml/source-text.ts";
import { hostileText } from "../support/arbitrary-world.ts";
import { runs } from "../support/property-runs.ts";

/** One team as people write it: each `N` is a name, written in their manner. */
const manners = [
  "  - name: N\n    roles: [A]\n",
  "  - name: N   # a remark\n    # another\n\n    roles:\n      - A\n",
  "  - { name: N, roles: [A] }\n",
  "  - {name: N}\n",
  "  - {\n      roles: [A], # a remark\n      name: N # another\n    }\n",
  "  -   roles: [A]\n      name: N\n",
  "  -\n    name: N\n    members:\n    - { user: a@x.example }\n    - b@x.example\n",
  "  - ? name\n    : N\n    roles: []\n",
];
const names = ["Ada", '"Ada: B"', "'it''s'", '"multi\n          line"', "数据", "x", "'a'   "];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...manners), fc.constantFrom(...names)), { minLength: 1, maxLength: 5 })
  .map((teams) => `# head\nteams:\n${teams.map(([manner, name]) => manner.replace("N", name)).join("")}# tail`);
const files = fc.tuple(texts, fc.boolean(), fc.boolean(), fc.boolean()).map(([text, ended, windows, marked]) => {
  const lines = `${text}${ended ? "\n" : ""}`;
  return `${marked ? "\ufeff" : ""}${windows ? lines.replace(/\n/gu, "\r\n") : lines}`;
});

function treeOf(bytes: Uint8Array): MapNode {
  const { tree, diagnostics } = readYaml("f", bytes);
  if (tree === undefined) throw new Error(JSON.stringify(diagnostics));
  return tree;
}

function teamsIn(tree: MapNode): readonly Node[] {
  const teams = tree.entries[0]?.value;
  return teams?.kind === "list" ? teams.items : [];
}

function plain(node: Node): unknown {
  if (node.kind === "scalar") return `${node.type} ${node.text}`;
  if (node.kind === "list") return node.items.map(plain);
  return new Map(node.entries.map(({ key, value }) => [key.text, plain(value)]));
}

test("an entry is added to each map and nothing else changes, in whatever manner the map is written", () => {
  fc.assert(
    fc.property(files, hostileText, (text, value) => {
      const before = new TextEncoder().encode(text);
      const teams = teamsIn(treeOf(before));
      const insert = (what: string) => {
        const insertions = teams.map(({ place }) => ({ place, after: "name", key: "identifier", value: what }));
        return insertEntries(before, insertions);
      };
      expect(teamsIn(treeOf(insert(value).bytes)).map(plain)).toEqual(
        teams.map((team) => new Map([...(plain(team) as Map<string, unknown>), ["identifier", `string ${value}`]])),
      );
      const withIdentifiers = new TextDecoder("utf-8", { ignoreBOM: true }).decode(insert("NEW").bytes);
      expect(withoutEnd(withIdentifiers.replace(/^ +identifier: NEW(?:\r?\n|$)|, identifier: NEW/gmu, ""))).toBe(
        withoutEnd(text),
      );
      expect(insert("NEW").done.length).toBe(teams.length);
    }),
    { seed: 51, numRuns: runs(1500) },
  );
});

/** A file without a line break at its end gets one before an entry that is added there. */
function withoutEnd(text: string): string {
  return text.replace(/[\r\n]+$/u, "");
}
