/** Longer names are cut, so that no file system refuses them. */
const maxStemLength = 50;
/** Names that some system takes for a device, whatever their ending. */
const deviceNames = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** Gives each thing a file name of its own, in no file system the same as another. */
export interface FileNamer {
  /** A path such as `teams/data-science.yaml`. `otherwise` is the name where nothing of the given one can be used. */
  give(folder: string, name: string, otherwise: string): string;
}

/** `taken`: paths that are there already. */
export function fileNamer(taken: Iterable<string>): FileNamer {
  const used = new Set([...taken].map(foldPath));
  return {
    give(folder, name, otherwise) {
      const stem = slug(name) || otherwise;
      for (let count = 1; ; count += 1) {
        const path = `${folder}${stem}${count === 1 ? "" : `-${count}`}.yaml`;
        if (used.has(foldPath(path))) continue;
        used.add(foldPath(path));
        return path;
      }
    },
  };
}

/** Lower-case letters and digits with hyphens between, of whatever a person has chosen as a name. */
function slug(name: string): string {
  const words = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .normalize("NFC");
  const stem = [...words]
    .slice(0, maxStemLength)
    .join("")
    .replace(/^[-\p{M}]+|-+$/gu, "");
  return deviceNames.test(stem) ? `${stem}-file` : stem;
}

function foldPath(path: string): string {
  return path.normalize("NFKD").toUpperCase().toLowerCase();
}
