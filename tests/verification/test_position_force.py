"""P4's hybrid position/force control: projectors, spaces, task coordinates, joint driving forces."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.control.hybrid_position_force import dynamic, passive, projections
from pushpoint.control.hybrid_position_force.spaces import head_rows, spaces
from pushpoint.control.hybrid_position_force.task import Chains, Frame, Task, chains_of, task_of
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.planning.feasibility import null_space, wrench_map
from pushpoint.robots.snakesim import snakesim
from pushpoint.types import FloatArray
from pushpoint.worlds.triplet import triplet_pegs

EXACT = 1e-10  # of projectors and balances; measured 1e-13 and 4e-13 at most
H = 1e-4  # [s], of central differences of sixth order
DIFFERENCE = 1e-9  # relative; measured 5e-12
LINKS = np.array([1, 2, 4])  # P4's links 2, 3, 5
VIRTUAL = [0, 6, 7]
TURN, ACROSS = np.array([[0.0], [0.0], [1.0]]), np.array([[0.0], [1.0], [0.0]])


def touching(state: TailState) -> PegContacts:
    pegs = np.array(triplet_pegs())
    return peg_contacts(state, LINKS, pegs[:, :2], pegs[:, 2])


def straight() -> TailState:
    return TailChain.of(snakesim()).at(np.zeros(8), np.zeros(8))


def bent(seed: int = 2, speed: float = 1.0) -> TailState:
    random = np.random.default_rng(seed)
    return TailChain.of(snakesim()).at(0.15 * random.standard_normal(8), speed * random.standard_normal(8))


def task_at(state: TailState, chains: Chains = "regular", frame: Frame = "contact") -> Task:
    return task_of(state, touching(state), chains, frame)


def is_projector(P: FloatArray) -> bool:
    return bool(np.abs(P @ P - P).max() < EXACT)


# --- projections, (3.6)-(3.14) ---


@pytest.mark.parametrize("state", [straight(), bent()], ids=["straight", "bent"])
def test_allowable_motions_and_forces_are_complementary_projectors(state: TailState) -> None:
    rows = touching(state).normal_jacobian
    motion, force = projections.allowable_motion(rows), projections.allowable_force(rows)
    assert is_projector(motion)
    assert is_projector(force)
    assert np.abs(motion + force - np.eye(8)).max() < EXACT
    assert np.abs(rows @ motion).max() < EXACT
    assert np.linalg.matrix_rank(motion, tol=1e-9) == 5
    # no power: what contacts can take does no work on what they allow
    assert np.abs(force.T @ motion).max() < EXACT


@pytest.mark.parametrize("state", [straight(), bent()], ids=["straight", "bent"])
@pytest.mark.parametrize("chains", ["regular", "minimal"])
def test_essential_variables_and_filters_are_projectors(state: TailState, chains: Chains) -> None:
    task, rows = task_at(state, chains), touching(state).normal_jacobian
    for chosen in ([2], [1, 2], [0, 1, 2]):
        blocks = [task.block(i) for i in chosen]
        motion = projections.essential_motion([TURN] * len(chosen), blocks)
        force = projections.essential_force([ACROSS] * len(chosen), blocks)
        filters = (
            projections.task_filter(projections.allowable_motion(rows), motion),
            projections.task_filter(projections.allowable_force(rows), force),
        )
        assert all(is_projector(P) for P in (motion, force, *filters))
        assert np.linalg.matrix_rank(motion, tol=1e-9) == len(chosen)
        # filtered motions are allowed, and turn the chosen links as wanted
        assert np.abs(rows @ filters[0]).max() < EXACT


def test_one_contact_has_the_essential_projectors_as_printed() -> None:
    J = task_at(bent()).block(2)
    motion, force = projections.essential_motion([TURN], [J]), projections.essential_force([ACROSS], [J])
    assert np.abs(motion - np.linalg.pinv(J) @ TURN @ TURN.T @ J).max() < EXACT
    assert np.abs(force - J.T @ ACROSS @ ACROSS.T @ np.linalg.pinv(J.T)).max() < EXACT


def test_the_printed_essential_force_is_no_projector() -> None:
    J = task_at(bent()).block(2)
    printed = projections.essential_force([ACROSS], [J], "printed")
    assert np.abs(printed @ printed - printed).max() > 0.01  # measured 0.12
    # its range are motions of J^+, not forces of J'
    assert not np.allclose(projections.onto(J.T @ ACROSS) @ printed, printed, atol=1e-3)


def test_forces_that_motors_can_give_are_those_in_balance() -> None:
    """Erratum P4-6: a line, (2, 3, 1), for the straight robot, nothing for a bent one."""
    active = np.ones(8)
    active[VIRTUAL] = 0.0
    rows = touching(straight()).normal_jacobian
    P = projections.actuated_force(rows, active)
    assert is_projector(P)
    assert np.linalg.matrix_rank(P, tol=1e-9) == 1
    balanced = rows.T @ np.array([2.0, 3.0, 1.0])
    assert np.abs(P @ balanced - balanced).max() < EXACT
    assert null_space(wrench_map(rows)).shape == (3, 1)
    nothing = projections.actuated_force(touching(bent()).normal_jacobian, active)
    assert np.abs(nothing).max() < EXACT


def test_the_filter_on_torques_multiplies_the_wanted_acceleration_by_234() -> None:
    """Erratum P4-5: (3.49) applies a projector of velocities to torques; hence P4's gain of 0.05."""
    state = straight()
    task, rows = task_at(state), touching(state).normal_jacobian
    wish = np.zeros(6)
    wish[5] = 1.0  # 1 rad/s2 for link 5
    wanted = dynamic.wanted_acceleration(task, wish)
    F = projections.task_filter(
        projections.allowable_motion(rows), projections.essential_motion([TURN], [task.block(2)])
    )
    torque = F @ dynamic.position_torque(state, wanted)
    torque[VIRTUAL] = 0.0
    turned = (task.jacobian @ dynamic.response(state, task, torque).acceleration)[8]
    assert turned == pytest.approx(233.55, abs=0.01)
    assert (task.jacobian @ (F @ wanted))[8] == pytest.approx(1.0, abs=1e-9)  # on accelerations it is right


# --- spaces, 3.6.2 ---


@pytest.mark.parametrize("state", [straight(), bent()], ids=["straight", "bent"])
def test_propulsion_shape_and_constraint_fill_the_space_and_do_not_overlap(state: TailState) -> None:
    rows = touching(state).normal_jacobian
    forward = head_rows(state, state.forward[-1])
    found = spaces(rows, forward)
    assert found.sizes == (1, 4, 3)
    assert np.abs(sum(found) - np.eye(8)).max() < EXACT
    assert all(is_projector(P) for P in found)
    assert all(np.abs(a @ b).max() < EXACT for k, a in enumerate(found) for b in found[k + 1 :])
    # shape motions leave the head's progress alone, propulsion changes it, and contacts allow both
    assert np.abs(forward @ found.shape).max() < EXACT
    assert np.abs(forward @ found.propulsion).max() > 0.1
    assert np.abs(rows @ (found.shape + found.propulsion)).max() < EXACT


def test_a_head_that_contacts_hold_has_no_propulsion() -> None:
    state = straight()
    rows = touching(state).normal_jacobian
    assert spaces(rows, rows[:1]).sizes == (0, 5, 3)


# --- task coordinates, (3.15)-(3.30) ---


def test_chains_have_the_joints_that_p4_names() -> None:
    kinds: tuple[Chains, ...] = ("regular", "minimal")
    regular, minimal = ([chain.moved for chain in chains_of(LINKS, 6, kind)] for kind in kinds)
    joints = [[np.flatnonzero(m[1:6]).tolist() for m in chains] for chains in (regular, minimal)]
    # P4 5.4: joints 1, 2 and 1 to 4 with regular chains; 2 and 3, 4 with minimal ones
    assert joints == [[[0], [0, 1], [0, 1, 2, 3]], [[0], [1], [2, 3]]]
    assert [bool(m[-1]) for m in minimal] == [True, False, False]


@pytest.mark.parametrize("frame", ["contact", "base", "printed"])
@pytest.mark.parametrize("chains", ["regular", "minimal"])
def test_bias_is_the_rate_of_the_jacobian(chains: Chains, frame: Frame) -> None:
    """a_q and a_rF by differences, with contact points fixed to their links; chains move from where they begin."""
    state = bent()
    contacts = touching(state)
    now = task_of(state, contacts, chains, frame)
    terms = ((1, 45.0), (2, -9.0), (3, 1.0))
    weights = [(k * s, s * c / (60 * H)) for k, c in terms for s in (1, -1)]
    for i, (_, moved) in enumerate(chains_of(LINKS, 6, chains)):
        rate = np.where(moved, state.rate, 0.0)
        block = slice(3 * i, 3 * i + 3)
        there = [
            (w, task_of(state.chain.at(state.q + k * H * rate, rate), contacts, chains, frame)) for k, w in weights
        ]
        drift = sum(w * (task.jacobian[block] @ rate) for w, task in there)
        turn = sum(w * (task.force_axes[i] @ (now.jacobian @ rate)) for w, task in there)
        assert np.abs(drift - now.bias[block]).max() < DIFFERENCE * np.abs(now.bias).max()
        assert abs(turn - now.force_bias[i]) < DIFFERENCE


def test_frames_that_turn_and_that_stay_say_the_same() -> None:
    """Erratum P4-2; the printed mixture does not."""
    state = bent()
    contact, base, printed = (task_at(state, "regular", frame) for frame in ("contact", "base", "printed"))  # type: ignore[arg-type]
    for one in (contact, base):
        normal = touching(state)
        assert np.abs(one.normal_rows + normal.side[:, None] * normal.normal_jacobian).max() < EXACT
    drift = [one.force_axes @ one.bias + one.force_bias for one in (contact, base)]
    assert np.abs(drift[0] - drift[1]).max() < EXACT
    assert np.abs(printed.normal_rows - contact.normal_rows).max() > 0.01
    wish = np.arange(6.0)
    wanted = [dynamic.wanted_acceleration(one, wish) for one in (contact, base)]
    assert np.abs(wanted[0] - wanted[1]).max() < EXACT


# --- joint driving forces, (3.31)-(3.43), and passive coordinates, (3.44)-(3.48) ---


def test_the_response_obeys_newton_and_keeps_contacts() -> None:
    state = bent()
    task, torque = task_at(state), np.zeros(8)
    torque[1:6] = 1.0, -0.5, 0.3, 0.2, -0.1
    found = dynamic.response(state, task, torque)
    push = dynamic.force_torque(task, found.force)
    left = state.mass_matrix @ found.acceleration + state.coriolis_force + push - torque
    assert np.abs(left).max() < EXACT
    held = task.force_axes @ (task.jacobian @ found.acceleration + task.bias) + task.force_bias
    assert np.abs(held).max() < EXACT


def test_with_motors_everywhere_angle_and_force_come_as_wanted() -> None:
    """Yoshikawa's result, which P4 builds on: tau_P + tau_F realise position and force at once."""
    state = straight()
    task = task_at(state)
    wish = np.zeros(6)
    wish[5] = 0.7
    force = np.array([-1.0, 2.0, -0.5])
    wanted = dynamic.wanted_acceleration(task, wish)
    torque = dynamic.position_torque(state, wanted) + dynamic.force_torque(task, force)
    found = dynamic.response(state, task, torque)
    assert np.abs(found.force - force).max() < EXACT
    assert (task.jacobian @ found.acceleration)[8] == pytest.approx(0.7, abs=EXACT)


def test_printed_passive_rows_have_no_force_and_wanted_joints() -> None:
    state, wanted = bent(), np.arange(8.0)
    found = passive.without_reactions(state, wanted, VIRTUAL)
    rest = state.mass_matrix @ found.acceleration + state.coriolis_force
    assert np.abs(rest[VIRTUAL]).max() < EXACT  # (3.46b)
    assert np.abs(rest[1:6] - found.torque).max() < EXACT  # (3.46a)
    assert np.abs(found.acceleration[1:6] - wanted[1:6]).max() < EXACT


def test_other_coordinates_can_be_left_free() -> None:
    found = passive.without_reactions(bent(), np.ones(8), [1, 2, 3])
    assert np.abs(found.acceleration[[0, 4, 5, 6, 7]] - 1.0).max() < EXACT
    with pytest.raises(InvalidInput, match="3 different ones"):
        passive.free_coordinates(TailChain.of(snakesim()), (1, 1, 2))
    with pytest.raises(InvalidInput, match="3 different ones"):
        passive.free_coordinates(TailChain.of(snakesim()), (1, 2))
    assert passive.free_coordinates(TailChain.of(snakesim()), None) == VIRTUAL


@pytest.mark.parametrize("state", [straight(), bent(speed=0.3)], ids=["straight", "bent"])
def test_corrected_passive_rows_balance_with_the_pegs(state: TailState) -> None:
    """Erratum P4-5: M_21 phi'' + M_22 psi'' + C_2 = J_n' lambda, and contacts hold."""
    contacts = touching(state)
    found = passive.with_reactions(state, contacts, 0.3 * np.arange(8.0), VIRTUAL)
    generalised = state.chain.actuation @ found.torque + contacts.normal_jacobian.T @ found.force
    left = state.mass_matrix @ found.acceleration + state.coriolis_force - generalised
    assert np.abs(left).max() < EXACT
    assert np.abs(contacts.normal_jacobian @ found.acceleration + contacts.bias).max() < EXACT
