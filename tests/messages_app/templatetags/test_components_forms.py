from django import forms

from tests.messages_app.templatetags.shown_components import outline, show_element


class SampleForm(forms.Form):
    size = forms.IntegerField(help_text="In cm.")
    colour = forms.ChoiceField(
        choices=[("r", "Red"), ("b", "Blue")], widget=forms.RadioSelect, required=False
    )
    seal = forms.CharField(required=False, max_length=2, widget=forms.HiddenInput)

    def clean(self) -> None:
        raise forms.ValidationError("All is wrong.")


class TestField:
    def test_describes_itself_by_its_hint_and_errors(self):
        row = show_element('{% field form.size "Length" %}', form=SampleForm({"size": "x"}))
        (field,) = row.iter("input")
        described_by = [row.get_element_by_id(name) for name in field.get("aria-describedby").split()]
        assert [each.text_content().strip() for each in described_by] == ["In cm.", "Enter a whole number."]
        assert row.xpath("label[@for='id_size']")[0].text == "Length"

    def test_is_a_group_with_its_errors_if_it_has_several_boxes(self):
        group = show_element("{% field form.colour %}", form=SampleForm({"colour": "x"}))
        assert (group.tag, group.get("id"), group.get("tabindex")) == ("fieldset", "id_colour", "-1")
        assert "data-faulty" in group.attrib
        assert group.get_element_by_id(group.get("aria-describedby")).text_content().strip() == (
            "Select a valid choice. x is not one of the available choices."
        )
        assert outline("{% field form.colour %}", form=SampleForm()) == [
            "Colour",
            "<colour=r> Red",
            "<colour=b> Blue",
        ]
        unchanged = show_element("{% field form.colour %}", form=SampleForm())
        assert set(unchanged.attrib) == {"class", "id"}

    def test_may_be_a_group_of_other_content(self):
        tags = '{% fieldgroup form.colour "Paint" %}Any{% endfieldgroup %}'
        assert outline(tags, form=SampleForm()) == ["Paint", "Any"]

    def test_shows_its_errors_with_its_name_where_no_label_is(self):
        form = SampleForm({"size": "x"})
        assert outline("{% fielderrors form.size %}", form=form) == ["Enter a whole number."]
        assert outline("{% fielderrors form.size is_named=True %}", form=form) == [
            "Size: Enter a whole number."
        ]


class TestErrors:
    def test_leads_to_the_faulty_fields_if_there_are_several(self):
        errors = show_element("{% errors form %}", form=SampleForm({"size": "x", "colour": "x"}))
        assert "data-errors" in errors.attrib
        assert errors.get("tabindex") == "-1"
        assert [(link.get("href"), link.text) for link in errors.iter("a")] == [
            ("#id_size", "Size"),
            ("#id_colour", "Colour"),
        ]

    def test_shows_those_of_hidden_fields(self):
        form = SampleForm({"size": "x", "seal": "long"})
        assert outline("{% errors form %}", form=form) == [
            "All is wrong.",
            "Ensure this value has at most 2 characters (it has 4).",
        ]

    def test_shows_those_of_the_whole_form(self):
        assert outline("{% errors form %}", form=SampleForm({"size": "x"})) == ["All is wrong."]
        assert outline("{% errors form %}", form=SampleForm()) == []
