// A text field for SQL with line numbers, in which places can be marked. The field itself is an
// ordinary <textarea>; a copy of its text lies behind it and carries the marks.

import {el, setAttribute} from './dom.js'

// The characters from a place (line and column count from 1, columns in UTF-16 units) to the end of
// the word that begins there.
function markedSpan(lines, {line, column}) {
    const text = lines[line - 1]
    if (text === undefined) return null
    const from = Math.min(Math.max((column || 1) - 1, 0), Math.max(text.length - 1, 0))
    const word = /^[\p{L}\p{N}_$]+/u.exec(text.slice(from))
    return {from, to: from + (word ? word[0].length : 1)}
}

export class SqlBox {
    // textarea: the field; frame: its parent, which gets the numbers and the copy.
    constructor(textarea, frame) {
        this.field = textarea
        this.numbers = el('div', {class: 'numbers', 'aria-hidden': 'true'})
        this.copy = el('pre', {class: 'copy', 'aria-hidden': 'true'})
        frame.prepend(this.numbers, this.copy)
        this.problems = []
        textarea.addEventListener('input', () => this.mark([]))
        textarea.addEventListener('scroll', () => this.#scroll())
        new ResizeObserver(() => this.#scroll()).observe(textarea)
    }

    get text() {
        return this.field.value
    }

    set text(value) {
        this.field.value = value
        this.mark([])
    }

    // Marks the places of problems ({line, column, severity}); those without one in this text are
    // left out.
    mark(problems) {
        this.problems = problems.filter(problem => problem.line > 0 && !problem.file)
        const lines = this.text.split('\n')
        const bad = new Map()
        for (const problem of this.problems) {
            const span = markedSpan(lines, problem)
            if (span && !bad.has(problem.line))
                bad.set(problem.line, {...span, severity: problem.severity})
        }
        this.#draw(lines, bad)
        setAttribute(
            this.field,
            'aria-invalid',
            problems.some(({severity}) => severity !== 'warning') ? 'true' : null
        )
    }

    #draw(lines, bad) {
        this.numbers.replaceChildren(
            ...lines.map((_, index) =>
                el('div', {class: bad.has(index + 1) ? 'bad' : null}, String(index + 1))
            )
        )
        this.copy.replaceChildren(
            ...lines.flatMap((text, index) => {
                const span = bad.get(index + 1)
                if (!span) return [`${text}\n`]
                const word = text.slice(span.from, span.to) || ' '
                return [
                    text.slice(0, span.from),
                    el('mark', {class: span.severity ?? 'error'}, word),
                    `${text.slice(span.to)}\n`
                ]
            })
        )
        this.#scroll()
    }

    #scroll() {
        this.copy.scrollTop = this.numbers.scrollTop = this.field.scrollTop
        this.copy.scrollLeft = this.field.scrollLeft
    }

    // Puts the caret at a problem's place and the word there under selection.
    goTo(problem) {
        const lines = this.text.split('\n')
        const span = markedSpan(lines, problem)
        if (!span) return
        const start = lines
            .slice(0, problem.line - 1)
            .reduce((sum, line) => sum + line.length + 1, 0)
        this.field.focus()
        this.field.setSelectionRange(start + span.from, start + span.to)
    }
}
