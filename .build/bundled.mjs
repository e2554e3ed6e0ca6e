// The packages of others of which a bundle holds anything, and the two texts about them: their licences and the bill of materials.

/** The directory of each, as esbuild's metafiles name the files that are in an output. */
export function bundledDirectories(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(found)].sort();
}
