import { setStage } from "../stage.ts";

const user = "  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }";
const head = `version: 1\naccount: acc-1\nusers:\n${user}\n`;
const team = `${head}teams:\n  - name: Platform\n`;

/** A roster with each fault that people meet often. */
const faulty: Readonly<Record<string, string>> = {
  "yaml-syntax": `${head}  - email: bo@acme.example\n   firstName: Bo\n    lastName: Diaz\n`,
  "bad-value": `${team}    roles: DEVELOPER\n    admin: ada@acme.example\n    members: [{ user: ada@acme.example }]\n`,
  "unknown-key": head.replace("firstName", "firstname"),
  "missing-key": head.replace(", lastName: Lovelace", ""),
  "unsupported-version": head.replace("version: 1", "version: 2"),
  "not-a-roster-file": "services:\n  web: { image: nginx }\n",
  duplicate: `${team}    members: [{ user: ada@acme.example }]\n  - name: platform\n    members: []\n`,
  contradiction: `${head}leavers:\n  - { email: ada@acme.example }\n`,
  "unknown-name": `${team}    members: [{ user: ad@acme.example }]\n`,
  "not-a-member": `${team}    admin: ada@acme.example\n    members: []\n`,
  "role-set-as-role": `${head}roleSets:\n  engineer: [DEVELOPER]\nteams:\n  - name: Platform\n    roles: [engineer]\n    members: [{ user: ada@acme.example }]\n`,
};

/** The module that has what `roster validate` prints of each of them. */
export async function rosterExamplesModule(): Promise<string> {
  const examples: string[] = [];
  for (const [code, roster] of Object.entries(faulty)) {
    const stage = await setStage({ name: "example", about: "", files: { "roster.yaml": roster }, steps: [] });
    const { stderr } = await stage.run({ roster: "validate roster.yaml" }, []);
    stage.close();
    const key = code.includes("-") ? `"${code}"` : code;
    examples.push(`  ${key}: \`${escaped(problemOf(code, stderr))}\`,\n`);
  }
  return `/** What \`roster validate\` prints of a file with such a fault. The tests of the pages write this file. */\nexport const rosterExamples: Readonly<Record<string, string>> = {\n${examples.join("")}};\n`;
}

/** The lines about one fault: its place, the line of the file, and what to do. */
function problemOf(code: string, printed: string): string {
  const problems = printed.split(/^(?=\S)/mu);
  const one = problems.find((text) => text.includes(`[${code}]`));
  if (one === undefined) throw new Error(`validate does not find ${code}:\n${printed}`);
  return one.trimEnd();
}

function escaped(text: string): string {
  return text.replace(/[\\`]|\$\{/gu, "\\$&");
}
