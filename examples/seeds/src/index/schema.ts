/** Creates the index for full-text search; false where the extension is missing. */
export async function tryCreateFTSIndex(database: { run(sql: string): Promise<void> }): Promise<boolean> {
  try {
    await database.run("PRAGMA create_fts_index('blob', 'hash', 'content')");
    return true;
  } catch {
    return false;
  }
}
