// The TypeScript compiler as a judge: one JSON question on stdin, one JSON answer on stdout.
const ts = require(process.env.TYPESCRIPT || "typescript");
const fs = require("fs");
const path = require("path");

const question = JSON.parse(fs.readFileSync(0, "utf8"));
const root = fs.realpathSync(question.root);
// SCRIPTS=1 judges JavaScript, as the compiler reads it with allowJs
const scripts = Boolean(process.env.SCRIPTS);
const endings = scripts ? [".js", ".cjs", ".mjs", ".jsx"] : [".ts", ".tsx", ".mts", ".cts"];

function listed(directory, found = []) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    if (["node_modules", ".git", "dist"].includes(entry.name)) continue;
    const full = path.join(directory, entry.name);
    if (entry.isDirectory()) listed(full, found);
    else if (endings.some((end) => entry.name.endsWith(end))) found.push(full);
  }
  return found;
}

const files = listed(root);
const configs = new Map();
function optionsFor(file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!config) return {};
  if (!configs.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    configs.set(config, ts.parseJsonConfigFileContent(read.config || {}, ts.sys, path.dirname(config)).options);
  }
  return configs.get(config);
}
const options = {
  ...optionsFor(path.join(root, "x.ts")), noEmit: true, skipLibCheck: true, allowJs: scripts, checkJs: false, maxNodeModuleJsDepth: 0, composite: false, incremental: false,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX, types: [],
};
const texts = new Map();
const text = (file) => {
  if (!texts.has(file)) texts.set(file, ts.sys.readFile(file));
  return texts.get(file);
};
const host = {
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(text(file) || "") : undefined),
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories, realpath: ts.sys.realpath,
};
const service = ts.createLanguageService(host, ts.createDocumentRegistry());
const program = service.getProgram();
const relative = (file) => path.relative(root, file).split(path.sep).join("/");
const placeOf = (file, at) => {
  const { line, character } = program.getSourceFile(file).getLineAndCharacterOfPosition(at);
  return [relative(file), line + 1, character + 1];
};

// what is bound to require("…") is imported there, not defined
const isRequired = (node) => Boolean(node) && ts.isCallExpression(node) && node.expression.getText() === "require" ||
  Boolean(node) && ts.isPropertyAccessExpression(node) && isRequired(node.expression);
// exports.a = 1, Till.prototype.ring = function, till.ring = function
function assigned(node) {
  if (!scripts || !ts.isBinaryExpression(node) || !ts.isExpressionStatement(node.parent)) return false;
  const kind = ts.getAssignmentDeclarationKind(node);
  if (![1, 3, 5].includes(kind) || !ts.isPropertyAccessExpression(node.left)) return false;
  const isOurs = ts.isFunctionExpression(node.right) || ts.isArrowFunction(node.right);
  return isOurs || (kind === 1 && !ts.isIdentifier(node.right) && !isRequired(node.right));
}

const isFunction = (node) => ts.isFunctionLike(node) && node.kind !== ts.SyntaxKind.FunctionType;
function symbols() {
  const found = [];
  const note = (name, kind, file) => {
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      found.push([...placeOf(file, name.getStart()), name.text, kind]);
  };
  const visit = (node, file, inside) => {
    const kinds = [
      [ts.isFunctionDeclaration, "function"], [ts.isClassDeclaration, "class"], [ts.isInterfaceDeclaration, "interface"],
      [ts.isTypeAliasDeclaration, "type"], [ts.isEnumDeclaration, "enum"], [ts.isMethodDeclaration, "method"],
    ];
    for (const [is, kind] of kinds) if (is(node)) note(node.name, kind, file);
    if (!inside && ts.isPropertyDeclaration(node)) note(node.name, "field", file);
    if (!inside && (ts.isPropertySignature(node) || ts.isMethodSignature(node)) && ts.isInterfaceDeclaration(node.parent))
      note(node.name, ts.isMethodSignature(node) ? "method" : "field", file);
    if (!inside && assigned(node)) note(node.left.name, isFunction(node.right) ? "function" : "variable", file);
    if (!inside && ts.isVariableDeclaration(node) && !(scripts && isRequired(node.initializer)) && ts.isVariableStatement(node.parent.parent) &&
        ts.isSourceFile(node.parent.parent.parent)) note(node.name, "variable", file);
    ts.forEachChild(node, (child) => visit(child, file, inside || isFunction(node)));
  };
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    if (source) visit(source, file, false);
  }
  return found;
}

// What else gets a name, inside functions and in object literals; one that is a use at the same time is left out.
const others = [
  ts.isVariableDeclaration, ts.isPropertyDeclaration, ts.isPropertySignature, ts.isMethodSignature, ts.isEnumMember,
  ts.isMethodDeclaration, ts.isAccessor, ts.isFunctionExpression, ts.isModuleDeclaration, ts.isClassExpression,
  (node) => ts.isPropertyAssignment(node) && isFunction(node.initializer),
];
function declared() {
  const found = [];
  const visit = (node, file) => {
    const name = others.some((is) => is(node)) && node.name;
    const isPut = ts.isBinaryExpression(node) && ts.isPropertyAccessExpression(node.left) &&
      (isFunction(node.right) || (scripts && ts.getAssignmentDeclarationKind(node)));
    if (isPut) found.push([...placeOf(file, node.left.name.getStart()), node.left.name.text, "other"]);
    if (ts.isConstructorDeclaration(node)) found.push([...placeOf(file, node.getStart()), "constructor", "other"]);
    if (name && ts.isIdentifier(name)) found.push([...placeOf(file, name.getStart()), name.text, "other"]);
    ts.forEachChild(node, (child) => visit(child, file));
  };
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    if (source) visit(source, file);
  }
  return found;
}

// In JavaScript findReferences loses what goes through exports.a = a, "go to definition" does not: every place of the
// name is asked what it means.
const places = new Map();
function placesOf(name) {
  if (!places.size)
    for (const file of program.getSourceFiles().filter((one) => one.fileName.startsWith(root + path.sep))) {
      const visit = (node) => {
        if (ts.isIdentifier(node)) {
          if (!places.has(node.text)) places.set(node.text, []);
          places.get(node.text).push([file.fileName, node.getStart()]);
        }
        ts.forEachChild(node, visit);
      };
      visit(file);
    }
  return places.get(name) || [];
}
// Where a module says what it is: module.exports = a, var a = module.exports = …
function whole(file) {
  let found;
  const isWhole = (node) => ts.isBinaryExpression(node) &&
    (node.left.getText() === "module.exports" || (node.left.getText() === "exports" && isWhole(node.right)));
  ts.forEachChild(file, (node) => {
    if (ts.isVariableStatement(node))
      for (const one of node.declarationList.declarations)
        if (one.initializer && isWhole(one.initializer)) found = one.name;
    if (ts.isExpressionStatement(node) && isWhole(node.expression)) {
      let right = node.expression;
      while (ts.isBinaryExpression(right)) right = right.right;
      if (ts.isIdentifier(right)) found = right;
    }
  });
  if (!found) return undefined;
  const at = found.getStart();
  const told = (service.getDefinitionAtPosition(file.fileName, at) || [])[0];
  return { fileName: file.fileName, textSpan: told ? told.textSpan : { start: at, length: found.text.length } };
}
// var a = require("./m") leads to the module, that is to what it says it is
function required(one) {
  const file = program.getSourceFile(one.fileName);
  const isWhole = file && /^(module\.exports|exports\s*=)/.test(file.text.slice(one.textSpan.start));
  return isWhole || (file && one.textSpan.start === 0 && one.kind !== "function") ? whole(file) : undefined;
}
function meaning(file, at, name) {
  const isHere = (one) => one.fileName === file && one.textSpan.start <= at && at < one.textSpan.start + one.textSpan.length;
  const isIt = (one) => isHere(one) || isHere(required(one) || { textSpan: {} });
  return placesOf(name).filter(
    ([where, there]) => (where !== file || there !== at) && (service.getDefinitionAtPosition(where, there) || []).some(isIt));
}

function references() {
  return question.places.map(([name, line, column]) => {
    const file = path.join(root, name);
    const at = program.getSourceFile(file).getPositionOfLineAndCharacter(line - 1, column - 1);
    const found = [];
    for (const group of service.findReferences(file, at) || [])
      for (const one of group.references)
        if (!one.isDefinition && !one.fileName.includes("node_modules")) found.push(placeOf(one.fileName, one.textSpan.start));
    if (scripts)
      for (const [where, there] of meaning(file, at, /^[\w$]+/.exec(text(file).slice(at))[0])) found.push(placeOf(where, there));
    return found;
  });
}

function edges() {
  const found = [];
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    for (const literal of source ? source.imports || [] : []) {
      const own = { ...options, ...optionsFor(file), moduleResolution: options.moduleResolution, module: options.module };
      const told = ts.resolveModuleName(literal.text, file, own, ts.sys).resolvedModule;
      if (!told) continue;
      const target = fs.realpathSync(told.resolvedFileName);
      if (!target.includes("node_modules") && target.startsWith(root + path.sep)) found.push([name, relative(target)]);
    }
  }
  return found;
}

process.stdout.write(JSON.stringify({ symbols, declared, references, edges }[question.what]()));
