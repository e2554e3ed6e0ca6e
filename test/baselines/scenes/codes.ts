import { catalogue } from "../../../src/report/codes/catalogue.ts";
import { formatsOf } from "../../../src/report/formats.ts";
import type { Scene } from "../scene.ts";

const codes = [...new Set(catalogue.map(({ code }) => code))];

/** What is said of every code. */
export const codeScenes: readonly Scene[] = [
  {
    name: "codes",
    about: "Every code that a command tells or ends with.",
    steps: [
      ...formatsOf("explain").map((format) => `explain --codes --format ${format}`),
      ...codes.map((code) => `explain ${code}`),
      ...["unproven-team", "7", "max-new-users"].map((code) => `explain ${code} --format json`),
    ],
  },
];
