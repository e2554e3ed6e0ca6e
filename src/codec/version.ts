/** As `package.json` has it: a bundled library cannot read that file. Documents say by which version they were made. */
export const rosterVersion = "0.1.0";
