"""Pages for everybody's own phone: a hand, a notepad and "your turn" for each seat.

The device that runs the table serves them on the local network. A page is a client of the same gate
as every other interface: it is sent `referee.view(seat)` in words, that seat's notepad, and the
guidance for that seat; what it sends is judged by the same referee. Nothing here knows a game by
name, and nothing here opens a window.

    table.py        one session as phones may use it: who may write what, and in which order
    gate.py         who may write an event from a page, and what is asked before
    forms.py        what may be done, as forms
    form_answers.py the events that filled forms mean
    touch_targets.py what can be done on the things themselves: a card, a place, a row's end
    invitations.py  codes that let a phone join once, and the tokens by which it stays
    certificate.py  the table's own certificate, and the two words by which people know it
    pages.py        what a page shows, as plain values; notepad_page.py the same for a notepad
    faces.py        cards as pages draw them
    language.py     every phone in its own language
    render.py       pages and their parts as HTML
    events.py       who is connected, and how a page is told what has changed
    host_state.py   what the pages of one table stand on
    joining.py      how a phone gets a seat, a screen becomes the table's own
    seat_pages.py   what a seat's phone may ask for; table_pages.py the same for the table
    routes.py       the addresses; the camera's page
    requests.py     what a request says, and the short answers to it
    middleware.py   refuses requests that no page of ours makes
    connections.py  limits on connections, and on how long a request may take to arrive
    lent_camera.py  eyes: the host's own camera, or a phone that lends its one
    host.py         everything put together, for the command and for the app
"""
