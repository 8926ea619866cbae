//! Changing the text of a file where it must change, so that its comments, its order and its spelling stay.
//!
//! Knows the block form the writer uses and people copy, with lists in brackets for `hosts`; anything else is [`None`], and the
//! file is then written whole. It does not read YAML, so what it returns must be read back and compared with what was meant
//! before it replaces a file. Entries are told apart by their place: additions come after the last, none is removed or moved.

use super::model::{Entitlement, Entitlements, ToolEntitlements};
use super::write::{VERSION, action_lines, key_value, keys, needs_version, scalar, tool_lines};

/// The text of a file that says `before`, changed to say `after`. `from` is noted at each entry that is added.
pub fn edit(
    text: &str,
    before: &Entitlements,
    after: &Entitlements,
    from: Option<&str>,
) -> Option<String> {
    let mut page = Page::of(text);
    let tools = page.tools()?;
    if tools.len() != before.len()
        || before
            .tools()
            .any(|(name, _)| after.for_tool(name).is_none())
    {
        return None;
    }
    for (name, entry) in after.tools() {
        let own = tools.iter().find(|tool| tool.name == name);
        match (before.for_tool(name), own) {
            (Some(before), Some(tool)) => page.tool(tool, before, entry, from)?,
            (Some(_), None) => return None,
            (None, _) => {
                let next = tools.iter().find(|tool| tool.name.as_str() > name);
                let at = next.map_or(page.end_of_tools, |tool| page.above(tool.line));
                page.insert(at, noted(&tool_lines(name, entry), from));
            }
        }
    }
    if needs_version(after) {
        page.version();
    }
    Some(page.finish())
}

/// The lines of a file and what is to be done to them.
struct Page<'t> {
    lines: Vec<&'t str>,
    tools_line: usize,
    /// The line after the last tool.
    end_of_tools: usize,
    /// New text for a line.
    replaced: Vec<(usize, String)>,
    /// Text to stand before a line, in the order it was asked for.
    inserted: Vec<(usize, String)>,
}

/// A tool in the text.
struct ToolLines {
    name: String,
    line: usize,
    end: usize,
}

/// An item of a list: its first line, the line after its last, and the column of its keys.
#[derive(Clone, Copy)]
struct Item {
    line: usize,
    end: usize,
    column: usize,
}

impl<'t> Page<'t> {
    fn of(text: &'t str) -> Page<'t> {
        Page {
            lines: text.split_inclusive('\n').collect(),
            tools_line: 0,
            end_of_tools: 0,
            replaced: Vec::new(),
            inserted: Vec::new(),
        }
    }

    /// The tools, in the order of the text.
    fn tools(&mut self) -> Option<Vec<ToolLines>> {
        self.tools_line = self
            .lines
            .iter()
            .position(|line| line.starts_with("tools:"))?;
        let inline = value_of(self.line(self.tools_line), "tools")?;
        if inline == "{}" {
            self.replaced.push((self.tools_line, "tools:\n".into()));
        } else if !inline.is_empty() {
            return None;
        }
        let first = self.tools_line + 1;
        self.end_of_tools = self.end_of(first, 1);
        let Some(line) = self.next_line(first, self.end_of_tools) else {
            return (inline == "{}").then(Vec::new);
        };
        let column = indent(self.line(line));
        let mut tools = Vec::new();
        let mut at = line;
        while at < self.end_of_tools {
            let head = self.line(at);
            let name = key_of(head).filter(|_| indent(head) == column)?;
            let inline = value_of(head, &name)?;
            if !inline.is_empty() {
                return None;
            }
            let end = self.end_of(at + 1, column + 1);
            tools.push(ToolLines {
                name,
                line: at,
                end,
            });
            at = self
                .next_line(end, self.end_of_tools)
                .unwrap_or(self.end_of_tools);
        }
        Some(tools)
    }

    /// Change one tool.
    fn tool(
        &mut self,
        tool: &ToolLines,
        before: &ToolEntitlements,
        after: &ToolEntitlements,
        from: Option<&str>,
    ) -> Option<()> {
        if before == after {
            return Some(());
        }
        let kept = before.actions.len();
        let new_actions = after.actions.get(kept..)?;
        let new_hosts = after.hosts.get(before.hosts.len()..)?;
        let column = self
            .next_line(tool.line + 1, tool.end)
            .map(|line| indent(self.line(line)))?;
        if after.hosts.get(..before.hosts.len())? != before.hosts.as_slice() {
            return None;
        }
        if !new_hosts.is_empty() {
            let hosts: Vec<String> = new_hosts.iter().map(|host| scalar(host.as_str())).collect();
            self.hosts(tool, column, before.hosts.is_empty(), &hosts)?;
        }
        let changed = before
            .actions
            .iter()
            .zip(&after.actions)
            .any(|(one, other)| one != other);
        if !changed && new_actions.is_empty() {
            return Some(());
        }
        let head = self.key_line(tool, column, "actions")?;
        let items = self.items(tool, head, column);
        if items.len() != kept || !value_of(self.line(head), "actions")?.is_empty() {
            return None;
        }
        for (item, (before, after)) in items.iter().zip(before.actions.iter().zip(&after.actions)) {
            self.action(*item, before, after)?;
        }
        let last = items.last()?;
        for entry in new_actions {
            let lines = action_lines(entry);
            let lead = " ".repeat(indent(self.line(last.line)));
            let lines: String = lines
                .split_inclusive('\n')
                .map(|line| format!("{lead}{}", line.get(WRITTEN_INDENT..).unwrap_or_default()))
                .collect();
            self.insert(last.end, noted(&lines, from));
        }
        Some(())
    }

    /// Add hosts to a list in brackets, to a list of lines, or as a list of their own.
    fn hosts(
        &mut self,
        tool: &ToolLines,
        column: usize,
        is_new: bool,
        hosts: &[String],
    ) -> Option<()> {
        let Some(head) = self.key_line(tool, column, "hosts") else {
            let lead = " ".repeat(column);
            let items: String = hosts
                .iter()
                .map(|host| format!("{lead}  - {host}\n"))
                .collect();
            self.insert(tool.line + 1, format!("{lead}hosts:\n{items}"));
            return is_new.then_some(());
        };
        let inline = value_of(self.line(head), "hosts")?;
        if let Some(inside) = inline
            .strip_prefix('[')
            .and_then(|list| list.strip_suffix(']'))
        {
            let separator = if inside.trim().is_empty() { "" } else { ", " };
            let list = format!("[{}{separator}{}]", inside.trim_end(), hosts.join(", "));
            return self.set(head, "hosts", &list);
        }
        let items = self.items(tool, head, column);
        let last = items.last().filter(|_| inline.is_empty())?;
        let lead = " ".repeat(indent(self.line(last.line)));
        let lines: String = hosts
            .iter()
            .map(|host| format!("{lead}- {host}\n"))
            .collect();
        self.insert(last.end, lines);
        Some(())
    }

    /// Change the keys of one entry.
    fn action(&mut self, item: Item, before: &Entitlement, after: &Entitlement) -> Option<()> {
        let old = keys(before);
        let new = keys(after);
        for (key, value) in &new {
            if old.contains(&(*key, value.clone())) {
                continue;
            }
            let value = key_value(key, value);
            match self.item_line(item, key) {
                Some(line) => self.set(line, key, &value)?,
                None => {
                    let lead = " ".repeat(item.column);
                    self.insert(item.end, format!("{lead}{key}: {value}\n"));
                }
            }
        }
        for (key, _) in old {
            if !new.iter().any(|(kept, _)| *kept == key) {
                let line = self
                    .item_line(item, key)
                    .filter(|line| *line != item.line)?;
                self.replaced.push((line, String::new()));
            }
        }
        Some(())
    }

    /// Write `version: 2` unless it stands there.
    fn version(&mut self) {
        match self
            .lines
            .iter()
            .position(|line| line.starts_with("version:"))
        {
            Some(line) => self.replaced.push((line, VERSION.into())),
            None => self.inserted.insert(0, (self.tools_line, VERSION.into())),
        }
    }

    /// Give a key on a line another value; what follows the value stays.
    fn set(&mut self, line: usize, key: &str, value: &str) -> Option<()> {
        let text = self.line(line);
        let old = value_of(text, key)?;
        let at = text.find(':')? + 1;
        let (head, tail) = text.split_at(at);
        let tail = tail.trim_start_matches(' ').strip_prefix(old)?;
        self.replaced.push((line, format!("{head} {value}{tail}")));
        Some(())
    }

    fn insert(&mut self, line: usize, text: String) {
        self.inserted.push((line, text));
    }

    fn finish(self) -> String {
        let mut out = String::new();
        for index in 0..=self.lines.len() {
            for (_, text) in self.inserted.iter().filter(|(line, _)| *line == index) {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                out.push_str(text);
            }
            match self.replaced.iter().find(|(line, _)| *line == index) {
                Some((_, text)) => out.push_str(text),
                None => out.push_str(self.line(index)),
            }
        }
        out
    }

    fn line(&self, index: usize) -> &'t str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// The first line from `from` on that says something.
    fn next_line(&self, from: usize, end: usize) -> Option<usize> {
        (from..end).find(|index| says_something(self.line(*index)))
    }

    /// The line after the last one that says something in a block whose lines are indented at least this far.
    fn end_of(&self, from: usize, column: usize) -> usize {
        let mut end = from;
        for index in from..self.lines.len() {
            let line = self.line(index);
            if says_something(line) {
                if indent(line) < column {
                    break;
                }
                end = index + 1;
            }
        }
        end
    }

    /// The first of the comment lines right above a line.
    fn above(&self, line: usize) -> usize {
        let is_comment = |index: &usize| self.line(*index).trim_start().starts_with('#');
        let own = (self.tools_line + 1..line).rev().take_while(is_comment);
        own.last().unwrap_or(line)
    }

    fn key_line(&self, tool: &ToolLines, column: usize, key: &str) -> Option<usize> {
        (tool.line + 1..tool.end).find(|index| {
            let line = self.line(*index);
            indent(line) == column && key_of(line).as_deref() == Some(key)
        })
    }

    /// The items of the list that begins after the line of its key.
    fn items(&self, tool: &ToolLines, head: usize, column: usize) -> Vec<Item> {
        let Some(first) = self.next_line(head + 1, tool.end) else {
            return Vec::new();
        };
        let own = indent(self.line(first));
        let mut items: Vec<Item> = Vec::new();
        for index in first..tool.end {
            let line = self.line(index);
            let body = line.trim_start();
            if !says_something(line) {
                continue;
            }
            if indent(line) == own && own >= column && body.starts_with("- ") {
                let inner = body.get(1..).unwrap_or_default();
                let gap = inner.len() - inner.trim_start_matches(' ').len();
                items.push(Item {
                    line: index,
                    end: index + 1,
                    column: own + 1 + gap,
                });
            } else if indent(line) > own {
                if let Some(item) = items.last_mut() {
                    item.end = index + 1;
                }
            } else {
                break;
            }
        }
        items
    }

    fn item_line(&self, item: Item, key: &str) -> Option<usize> {
        (item.line..item.end).find(|index| {
            let line = self.line(*index);
            let column = if *index == item.line {
                item.column
            } else {
                indent(line)
            };
            column == item.column && key_of(line).as_deref() == Some(key)
        })
    }
}

/// The lines with a comment at the first line of each entry.
fn noted(lines: &str, from: Option<&str>) -> String {
    let Some(from) = from else {
        return lines.into();
    };
    let note = |line: &str| {
        let is_entry = line.trim_start().starts_with("- action:");
        let end = if is_entry {
            format!(" # from: {from}\n")
        } else {
            "\n".into()
        };
        format!("{}{end}", line.trim_end_matches('\n'))
    };
    lines.split_inclusive('\n').map(note).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn says_something(line: &str) -> bool {
    let body = line.trim();
    !body.is_empty() && !body.starts_with('#')
}

/// The key a line begins with, without its quotes.
fn key_of(line: &str) -> Option<String> {
    let body = line.trim_start();
    let body = body.strip_prefix("- ").unwrap_or(body).trim_start();
    for quote in ['"', '\''] {
        if let Some(inside) = body.strip_prefix(quote) {
            let (key, after) = inside.split_once(quote)?;
            let is_plain = !key.contains('\\') && after.starts_with(':');
            return is_plain.then(|| key.to_owned());
        }
    }
    let (key, after) = body.split_once(':')?;
    let is_key = after.is_empty() || after.starts_with([' ', '\n', '\r']);
    is_key.then(|| key.to_owned())
}

/// The value after a line's key, without what follows it; none when it goes on in the next line or cannot be told.
fn value_of<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    if key.contains(':') {
        return None;
    }
    let (_, after) = line.split_once(':')?;
    let after = after.trim();
    if after.starts_with('#') {
        return Some("");
    }
    if let Some(inside) = after.strip_prefix('"') {
        let mut escaped = false;
        let close = inside.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        })?;
        return after.get(..close + 2);
    }
    if after.starts_with('\'') {
        let close = after.get(1..)?.find('\'')? + 2;
        return after.get(..close).filter(|_| {
            !after
                .get(close..)
                .is_some_and(|rest| rest.starts_with('\''))
        });
    }
    if after.starts_with(['|', '>', '&', '*', '!']) {
        return None;
    }
    Some(after.split(" #").next().unwrap_or_default().trim_end())
}

/// How far the writer indents an action.
const WRITTEN_INDENT: usize = 6;

#[cfg(test)]
mod tests;
